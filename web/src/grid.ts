// SPDX-License-Identifier: Apache-2.0
// Nodes as cells, zone by zone: where each is, and which is where.

export interface Cell {
  node: number;
  x: number;
  y: number;
}
export interface Zone {
  name: string;
  y: number;
  nodes: number;
}
export interface Grid {
  size: number; // of a cell, with its gap
  height: number;
  columns: number;
  cells: Cell[]; // in the order of zones
  zones: Zone[];
}

const heading = 26;

/** Cells as large as they can be without the whole being higher than two screens, between 8 and 56 pixels. */
export function layOut(zone: number[], zones: string[], width: number): Grid {
  const of: number[][] = zones.map(() => []);
  zone.forEach((z, node) => of[z]?.push(node));
  const order = zones.map((_, z) => z).sort((a, b) => zones[a]!.localeCompare(zones[b]!));
  let grid: Grid = { size: 0, height: 0, columns: 1, cells: [], zones: [] };
  for (let size = 56; size >= 8; size -= 2) {
    grid = placed(of, order, zones, width, size);
    if (grid.height <= 560) break;
  }
  return grid;
}

function placed(of: number[][], order: number[], zones: string[], width: number, size: number): Grid {
  const columns = Math.max(1, Math.floor(width / size));
  const out: Grid = { size, columns, height: 0, cells: [], zones: [] };
  for (const z of order) {
    const nodes = of[z]!;
    if (nodes.length === 0) continue;
    out.zones.push({ name: zones[z] || 'no zone', y: out.height, nodes: nodes.length });
    out.height += heading;
    nodes.forEach((node, i) => {
      out.cells.push({ node, x: (i % columns) * size, y: out.height + Math.floor(i / columns) * size });
    });
    out.height += Math.ceil(nodes.length / columns) * size + 10;
  }
  return out;
}

/** The place in `cells` of the cell at a point, or -1. */
export function at(grid: Grid, x: number, y: number): number {
  return grid.cells.findIndex((c) => x >= c.x && x < c.x + grid.size && y >= c.y && y < c.y + grid.size);
}

/** Where an arrow key leads. */
export function step(grid: Grid, from: number, key: string): number {
  const now = grid.cells[from];
  if (!now) return 0;
  const last = grid.cells.length - 1;
  if (key === 'ArrowRight') return Math.min(last, from + 1);
  if (key === 'ArrowLeft') return Math.max(0, from - 1);
  if (key === 'Home') return 0;
  if (key === 'End') return last;
  const down = key === 'ArrowDown';
  const rows = grid.cells.map((c, i) => ({ ...c, i })).filter((c) => (down ? c.y > now.y : c.y < now.y));
  if (rows.length === 0) return from;
  const y = down ? rows[0]!.y : rows[rows.length - 1]!.y;
  const row = rows.filter((c) => c.y === y);
  return row.reduce((best, c) => (Math.abs(c.x - now.x) < Math.abs(best.x - now.x) ? c : best)).i;
}
