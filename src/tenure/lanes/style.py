"""The colours and lines of the SVG: variables that a page may set, in light and in dark."""

STYLE = """
.tenure-lanes{--l-ground:#fff;--l-ink:#1d2433;--l-soft:#566074;--l-grid:#dfe3ea;--l-axis:#8791a3;--l-bar:#d5e4f7;
--l-edge:#1f5fa8;--l-fail:#b3101f;--l-faint:#fbdcde;
font:12px/1.3 ui-sans-serif,system-ui,"Segoe UI",Roboto,"DejaVu Sans",Arial,sans-serif;max-width:100%;height:auto}
@media (prefers-color-scheme:dark){.tenure-lanes{--l-ground:#14181f;--l-ink:#e8ebf1;--l-soft:#a7b0c0;--l-grid:#2b323e;
--l-axis:#6d778a;--l-bar:#1d3857;--l-edge:#7db4f2;--l-fail:#ff8088;--l-faint:#4a1a20}}
.tenure-lanes text{fill:var(--l-ink);font-size:12px}
.tenure-lanes .label{paint-order:stroke;stroke:var(--l-ground);stroke-width:3px;stroke-linejoin:round}
.tenure-lanes .time{font-variant-numeric:tabular-nums}
.tenure-lanes .name{font-weight:600}
.tenure-lanes .detail{fill:var(--l-soft)}
.tenure-lanes .fail{fill:var(--l-fail);font-weight:700}
.tenure-lanes path{fill:none;stroke:var(--l-edge)}
.tenure-lanes .ground{fill:var(--l-ground)}
.tenure-lanes .axis{stroke:var(--l-axis);stroke-width:1.5}
.tenure-lanes .grid{stroke:var(--l-grid)}
.tenure-lanes .body{fill:var(--l-bar);fill-opacity:.8}
.tenure-lanes .block{fill:var(--l-bar);stroke:var(--l-edge)}
.tenure-lanes .concerned .block,.tenure-lanes .wrong .block{fill:var(--l-faint);stroke:var(--l-fail)}
.tenure-lanes .edge{stroke-width:2.4;stroke-linecap:round;stroke-linejoin:round}
.tenure-lanes .sign{stroke-width:2;stroke-linecap:round;stroke-linejoin:round}
.tenure-lanes .renewed{stroke-width:2;stroke-dasharray:2 3}
.tenure-lanes .series{stroke-width:2}
.tenure-lanes .now{stroke:var(--l-ink);stroke-width:1.5}
.tenure-lanes .failing{stroke:var(--l-fail);stroke-width:2;stroke-dasharray:5 3}
.tenure-lanes .spot{fill:var(--l-fail)}
.tenure-lanes .cross{stroke:var(--l-ground);stroke-width:2.2;stroke-linecap:round}
.tenure-lanes .concerned .body,.tenure-lanes .wrong .body{fill:var(--l-faint);stroke:var(--l-fail);stroke-width:1.5}
.tenure-lanes .concerned path,.tenure-lanes .wrong path,.tenure-lanes .hatch{stroke:var(--l-fail)}
.tenure-lanes .concerned .label,.tenure-lanes .wrong .label{fill:var(--l-fail);font-weight:700}
.tenure-lanes .hatch{stroke-width:2.5}
.tenure-lanes [data-until],.tenure-lanes [data-there="no"]{display:none}
.tenure-lanes [data-until][data-there="yes"]{display:inline}
""".replace("\n", "")
