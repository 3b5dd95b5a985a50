// SPDX-License-Identifier: Apache-2.0
//! The rule of draught.cpp in Rust. What is no number is a panic.

use berth::*;

fn number_of(text: &str) -> i64 {
    text.parse().unwrap_or_else(|_| panic!("draught: not a number: {text}"))
}

struct Draught {
    need: StateKey<i64>,
    depth: ColumnId,
    spare: i64,
}

impl Draught {
    fn depth(&self, depths: &Column, slot: u32) -> i64 {
        depths.text(slot).map_or(0, number_of)
    }
}

impl Plugin for Draught {
    fn new(setup: &Setup, args: Args) -> Result<Self, String> {
        let spare = args.integer("spare", 0)?;
        setup.info_with(4, "Keeps a spare", &[("depth", spare.into())]);
        Ok(Draught { need: setup.state_key("need"), depth: setup.column(raw::BERTH_COLUMN_NODE_LABEL, "depth")?, spare })
    }
}

impl PreFilter for Draught {
    fn pre_filter(&self, call: &LoopCall, state: &mut State, pod: Pod, _: Nodes, _: &Restrict) -> Verdict {
        state.put(call, self.need, pod.label("draught").map_or(0, number_of) + self.spare);
        Verdict::ok()
    }
}

impl Filter for Draught {
    fn filter_batch(&self, _: &Call, state: &State, _: Pod, nodes: Nodes, slots: &[u32], out: &mut Verdicts) {
        let need = *state.get(self.need).expect("pre_filter ran");
        let depths = nodes.column(self.depth);
        for (i, slot) in slots.iter().enumerate() {
            if self.depth(&depths, *slot) < need {
                out.set(i, Verdict::unschedulable("node(s) were too shallow"));
            } else {
                out.set(i, Verdict::ok());
            }
        }
    }
}

impl Score for Draught {
    fn score_batch(&self, _: &Call, state: &State, _: Pod, nodes: Nodes, slots: &[u32], out: &mut [i64]) -> Verdict {
        let need = *state.get(self.need).expect("pre_filter ran");
        let depths = nodes.column(self.depth);
        for (score, slot) in out.iter_mut().zip(slots) {
            *score = (100 - (self.depth(&depths, *slot) - need)).clamp(0, 100);
        }
        Verdict::ok()
    }
}

berth::plugins! { Draught: "Draught", "1.0.0", [PreFilter, Filter, Score] }
