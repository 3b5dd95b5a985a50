#!/usr/bin/awk -f
# SPDX-License-Identifier: Apache-2.0
# Draws what fragmentation.sh counted: its curves, one after another, become an SVG.
function x(panel, asked) { return 60 + panel * 460 + asked * 390 / extent }
function y(value, most) { return 300 - (value < most ? value : most) * 240 / most }
function text(at_x, at_y, anchor, words) {
  printf "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", at_x, at_y, anchor, words
}
function axes(panel, title, most, step,    v) {
  text(x(panel, 0), 40, "start", title)
  for (v = 0; v <= most; v += step) {
    printf "<path d=\"M%.1f %.1fH%.1f\" stroke=\"#ddd\"/>\n", x(panel, 0), y(v, most), x(panel, extent)
    text(x(panel, 0) - 6, y(v, most) + 4, "end", v " %")
  }
  for (v = 0; v <= extent; v += 20) text(x(panel, v), 318, "middle", v " %")
  text(x(panel, extent / 2), 338, "middle", "asked for so far, of all GPUs")
}
function curve(panel, which, most,    i) {
  printf "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" points=\"", colour[which]
  for (i = 1; i <= rows[which]; ++i) printf "%.1f,%.1f ", x(panel, asked[which, i]), y(value[panel, which, i], most)
  print "\"/>"
}
$1 == 0 { ++curves }
{
  i = ++rows[curves]
  asked[curves, i] = $1
  value[0, curves, i] = $3
  value[1, curves, i] = $4
  if ($1 > extent) extent = $1
}
END {
  extent = int((extent + 1) / 10) * 10
  split("#c0392b #2980b9 #27ae60", colour, " ")
  split("default profile,packing (MostAllocated),GpuFragmentation", name, ",")
  print "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 930 390\" font-family=\"sans-serif\" font-size=\"12\">"
  print "<rect width=\"930\" height=\"390\" fill=\"white\"/>"
  axes(0, "fragments, of all GPUs", 16, 4)
  axes(1, "fragments, of the GPUs that are free", 100, 25)
  for (which = 1; which <= curves; ++which) {
    curve(0, which, 16)
    curve(1, which, 100)
    printf "<path d=\"M%d 366h30\" stroke=\"%s\" stroke-width=\"2\"/>\n", which * 220 - 60, colour[which]
    text(which * 220 - 22, 370, "start", name[which])
  }
  print "</svg>"
}
