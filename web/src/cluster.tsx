// SPDX-License-Identifier: Apache-2.0
// The nodes, coloured by how much of a resource is asked for.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { NodeColumns } from './api';
import { useAnswer } from './asked';
import { at, layOut, step, type Grid } from './grid';
import { Node } from './node';
import { Choice, Trouble } from './parts';
import { setQuery, type Route } from './route';
import { amount, grouped, percent } from './text';

/** Pale to deep, as steps; the last one: full. */
const shades = 10;

/** As the canvas takes them: a variable is told as it was written, but a colour as it came out. */
function colours(canvas: HTMLElement) {
  const style = getComputedStyle(canvas);
  const colour = (name: string) => {
    canvas.style.color = `var(--${name})`;
    return style.color;
  };
  return {
    shade: Array.from({ length: shades + 1 }, (_, i) => colour(`shade-${i}`)),
    none: colour('line'),
    soft: colour('soft'),
    accent: colour('accent'),
    ink: colour('ink'),
  };
}

interface Use {
  share: number[]; // of each node; NaN: it has none
  closed: Set<number>;
}

function draw(canvas: HTMLCanvasElement, width: number, grid: Grid, use: Use, marked: number, chosen: number) {
  const ratio = devicePixelRatio || 1;
  canvas.width = width * ratio;
  canvas.height = grid.height * ratio;
  canvas.style.height = grid.height + 'px';
  const pen = canvas.getContext('2d')!;
  const colour = colours(canvas);
  pen.scale(ratio, ratio);
  pen.font = `13px ${getComputedStyle(canvas).fontFamily}`;
  for (const zone of grid.zones) {
    pen.fillStyle = colour.soft;
    pen.fillText(`${zone.name}: ${grouped(zone.nodes)}`, 0, zone.y + 17);
  }
  const side = grid.size - (grid.size > 12 ? 2 : 1);
  for (const [i, cell] of grid.cells.entries()) {
    const share = use.share[cell.node] ?? NaN;
    pen.fillStyle = Number.isNaN(share) ? colour.none : colour.shade[Math.min(shades, Math.floor(share * shades))]!;
    pen.fillRect(cell.x, cell.y, side, side);
    if (use.closed.has(cell.node)) {
      pen.strokeStyle = colour.ink;
      pen.lineWidth = 1;
      pen.beginPath();
      pen.moveTo(cell.x, cell.y + side);
      pen.lineTo(cell.x + side, cell.y);
      pen.stroke();
    }
    if (i === marked || cell.node === chosen) {
      pen.strokeStyle = cell.node === chosen ? colour.accent : colour.ink;
      pen.lineWidth = 2;
      pen.strokeRect(cell.x, cell.y, side, side);
    }
  }
}

function Legend() {
  return (
    <div class="legend" aria-hidden="true">
      <span>0 %</span>
      {Array.from({ length: shades + 1 }, (_, i) => (
        <i key={i} class={`shade-${i}`} />
      ))}
      <span>100 % requested</span>
      <i class="cordoned" />
      <span>cordoned: takes no new pods</span>
    </div>
  );
}

function Cells(props: { answer: NodeColumns; resource: string; chosen: string; choose: (name: string) => void }) {
  const { answer } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const [width, setWidth] = useState(0);
  const [marked, setMarked] = useState(-1);
  const [shown, setShown] = useState(0); // grows when the colours change
  const grid = useMemo(() => layOut(answer.zone, answer.zones, Math.max(200, width)), [answer, width]);
  const column = answer.resources.find((r) => r.name === props.resource) ?? answer.resources[0]!;
  const use = useMemo<Use>(
    () => ({
      share: column.allocatable.map((all, i) => (all > 0 ? column.requested[i]! / all : NaN)),
      closed: new Set(answer.unschedulable),
    }),
    [answer, column],
  );
  useEffect(() => {
    const box = canvas.current!.parentElement!;
    const observer = new ResizeObserver(() => setWidth(box.clientWidth));
    observer.observe(box);
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const redraw = () => setShown((n) => n + 1);
    dark.addEventListener('change', redraw);
    const theme = new MutationObserver(redraw);
    theme.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
    return () => {
      observer.disconnect();
      theme.disconnect();
      dark.removeEventListener('change', redraw);
    };
  }, []);
  const chosen = answer.names.indexOf(props.chosen);
  useEffect(() => {
    if (width > 0) draw(canvas.current!, width, grid, use, marked, chosen);
  }, [grid, use, marked, chosen, width, shown]);
  const node = grid.cells[marked]?.node ?? -1;
  const told =
    node >= 0
      ? `${answer.names[node]}: ${amount(column.name, column.requested[node]!)} of ${amount(column.name, column.allocatable[node]!)} ${column.name}, ${percent(use.share[node]!)}` +
        (use.closed.has(node) ? ', cordoned: takes no new pods' : '')
      : 'Point at a node, or go from one to the next with the arrow keys; Enter shows its pods.';
  const under = (event: MouseEvent) => {
    const box = canvas.current!.getBoundingClientRect();
    return at(grid, event.clientX - box.left, event.clientY - box.top);
  };
  const key = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && node >= 0) props.choose(answer.names[node]!);
    else if (/^(Arrow|Home|End)/.test(event.key)) setMarked(step(grid, marked, event.key));
    else return;
    event.preventDefault();
  };
  return (
    <>
      <p class="told" aria-live="polite">
        {told}
      </p>
      <div class="canvas">
        <canvas
          ref={canvas}
          tabIndex={0}
          role="application"
          aria-label={`${grouped(answer.names.length)} nodes by zone, coloured by ${column.name}`}
          onMouseMove={(e) => setMarked(under(e))}
          onMouseLeave={() => setMarked(-1)}
          onClick={(e) => {
            const cell = grid.cells[under(e)];
            if (cell) props.choose(answer.names[cell.node]!);
          }}
          onKeyDown={key}
        />
      </div>
      <Legend />
    </>
  );
}

function Totals(props: { answer: NodeColumns; resource: string }) {
  const column = props.answer.resources.find((r) => r.name === props.resource);
  if (!column) return null;
  const sum = (all: number[]) => all.reduce((a, b) => a + b, 0);
  const requested = sum(column.requested);
  const all = sum(column.allocatable);
  return (
    <p class="verdict">
      {grouped(props.answer.names.length)} nodes; of {column.name} {amount(column.name, requested)} of{' '}
      {amount(column.name, all)} are requested, {percent(requested / all)}.
    </p>
  );
}

export function Cluster(props: { route: Route; again: number; reload: () => void }) {
  const { route } = props;
  const asked = useAnswer<NodeColumns>('cluster', props.again);
  const answer = asked.answer;
  const resource = route.query.get('resource') ?? 'cpu';
  const chosen = route.parts[1] ?? '';
  const choose = (name: string) => {
    location.hash = '#/cluster/' + encodeURIComponent(name) + (route.query.size ? '?' + route.query : '');
  };
  return (
    <>
      <h1>Cluster</h1>
      <Trouble asked={asked} again={props.reload} />
      {answer && answer.names.length > 0 && (
        <>
          <Totals answer={answer} resource={resource} />
          <Choice
            label="Resource"
            all={answer.resources.map((r) => [r.name, r.name])}
            now={resource}
            choose={(name) => setQuery(route, { resource: name === 'cpu' ? undefined : name })}
          />
          <Cells answer={answer} resource={resource} chosen={chosen} choose={choose} />
        </>
      )}
      {answer && answer.names.length === 0 && <p class="note">There are no nodes.</p>}
      {chosen && <Node name={chosen} again={props.again} reload={props.reload} />}
    </>
  );
}
