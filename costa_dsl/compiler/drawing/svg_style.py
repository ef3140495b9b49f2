"""The look of an SVG drawing: plain CSS in light and dark, without variables, which many programs do not read."""

STYLE = """
.costa-graph text{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;
 font-size:12px;fill:#1f2328}
.costa-graph .paper{fill:#ffffff}
.costa-graph .title{font-size:17px;font-weight:600}
.costa-graph .about{fill:#59636e}
.costa-graph .job{font-size:10.5px;fill:#59636e}
.costa-graph .figure{fill:#59636e}
.costa-graph .line{fill:none;stroke:#818b98;stroke-width:1.3}
.costa-graph .line.supply{stroke-dasharray:5 3}
.costa-graph .line.best{stroke:#0969da;stroke-width:3.2;stroke-dasharray:none}
.costa-graph .head{fill:#818b98}
.costa-graph .head.best{fill:#0969da}
.costa-graph .state .shape{fill:#f6f8fa;stroke:#818b98;stroke-width:1.2}
.costa-graph .state.best .shape{fill:#ddf4ff;stroke:#0969da;stroke-width:1.8}
.costa-graph .state.end .shape{fill:#1f2328;stroke:#1f2328}
.costa-graph .state.end text{fill:#ffffff;font-weight:600}
.costa-graph .label .frame{fill:#ffffff;stroke:#d1d9e0}
.costa-graph .label.best .frame{stroke:#0969da;stroke-width:1.4}
.costa-graph .call .row{fill:none;pointer-events:all}
.costa-graph .call.best .row{fill:#ddf4ff}
.costa-graph .call.best .tool{font-weight:700}
.costa-graph .call.best .tool,.costa-graph .call.best .figure{fill:#0550ae}
@media (prefers-color-scheme:dark){
.costa-graph text{fill:#f0f6fc}
.costa-graph .paper{fill:#0d1117}
.costa-graph .about,.costa-graph .job,.costa-graph .figure{fill:#9198a1}
.costa-graph .line{stroke:#7d8590}
.costa-graph .line.best{stroke:#58a6ff}
.costa-graph .head{fill:#7d8590}
.costa-graph .head.best{fill:#58a6ff}
.costa-graph .state .shape{fill:#212830;stroke:#7d8590}
.costa-graph .state.best .shape{fill:#0c2d4d;stroke:#58a6ff}
.costa-graph .state.end .shape{fill:#f0f6fc;stroke:#f0f6fc}
.costa-graph .state.end text{fill:#0d1117}
.costa-graph .label .frame{fill:#151b23;stroke:#3d444d}
.costa-graph .label.best .frame{stroke:#58a6ff}
.costa-graph .call.best .row{fill:#0c2d4d}
.costa-graph .call.best .tool,.costa-graph .call.best .figure{fill:#79c0ff}
}
"""

# Arrow heads; NAME keeps two drawings on one page apart.
MARKERS = (
    '<defs><marker id="NAME-arrow" viewBox="0 0 8 8" refX="7.5" refY="4" markerWidth="8" markerHeight="8" '
    'markerUnits="userSpaceOnUse" orient="auto"><path class="head" d="M0 0L8 4L0 8z"/></marker>'
    '<marker id="NAME-best" viewBox="0 0 8 8" refX="7.5" refY="4" markerWidth="13" markerHeight="13" '
    'markerUnits="userSpaceOnUse" orient="auto"><path class="head best" d="M0 0L8 4L0 8z"/></marker></defs>'
)
