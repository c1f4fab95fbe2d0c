//! The style of the HTML export: light or dark as the reader's system, and for paper.

pub(super) const STYLE: &str = r#"
:root{color-scheme:light dark;--bg:#fff;--text:#1a1f27;--dim:#4d5765;--line:#d8dde5;--soft:#f6f7f9;--accent:#2150bf;
--add:#e4f5ea;--del:#fcebea;--critical:#a50f3c;--high:#b0440b;--medium:#7f5c00;--low:#1f6387;--info:#56606e}
@media (prefers-color-scheme:dark){:root{--bg:#14171c;--text:#e2e6ec;--dim:#a9b2bf;--line:#363d48;--soft:#1a1e24;--accent:#8db0ff;
--add:#142a1e;--del:#2e1a1c;--critical:#ff7d9f;--high:#ff9d66;--medium:#e6bd55;--low:#74c1e6;--info:#a9b2bf}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:58rem;padding:2rem 1.25rem 4rem;background:var(--bg);color:var(--text);
font:400 15px/1.55 system-ui,-apple-system,'Segoe UI',sans-serif;overflow-wrap:anywhere}
h1{font-size:1.5rem;line-height:1.3;margin:0 0 .5rem}h2{font-size:1.15rem;margin:2.25rem 0 .75rem}
h3{font-size:1rem;margin:0 0 .25rem}h4,h5,h6{font-size:.95rem;margin:1rem 0 .25rem}
a{color:var(--accent)}p{margin:.5rem 0}
code,pre,.code{font:.86em/1.5 ui-monospace,'SF Mono',Menlo,Consolas,monospace}
pre code{font-size:1em}pre{background:var(--soft);padding:.6rem .8rem;border-radius:6px;white-space:pre-wrap}
.dim{color:var(--dim)}.where{margin:0 0 .5rem;color:var(--dim);font-size:.9em}
.finding{border:1px solid var(--line);border-left-width:4px;border-radius:6px;padding:.9rem 1rem;margin:0 0 1rem;break-inside:avoid}
.finding.critical{border-left-color:var(--critical)}.finding.high{border-left-color:var(--high)}
.finding.medium{border-left-color:var(--medium)}.finding.low{border-left-color:var(--low)}.finding.info{border-left-color:var(--info)}
.severity{font-weight:650}.critical .severity{color:var(--critical)}.high .severity{color:var(--high)}
.medium .severity{color:var(--medium)}.low .severity{color:var(--low)}.info .severity{color:var(--info)}
.dismissed h3{text-decoration:line-through}
.decision{border-left:3px solid var(--line);padding-left:.6rem}
.code{width:100%;border-collapse:collapse;background:var(--soft);border-radius:6px;margin:.6rem 0}
.code td{padding:0 .5rem;vertical-align:top;white-space:pre-wrap}.code .n{width:1%;color:var(--dim);text-align:right;user-select:none;white-space:nowrap}
.code .add{background:var(--add)}.code .del{background:var(--del)}.code .meant td:first-child{box-shadow:inset 3px 0 var(--accent)}
.prose table,.facts{border-collapse:collapse}.facts th{overflow-wrap:normal}.prose td,.prose th,.facts td,.facts th{border:1px solid var(--line);padding:.25rem .6rem;text-align:left;vertical-align:top}
blockquote{margin:.5rem 0;padding-left:.8rem;border-left:3px solid var(--line);color:var(--dim)}
@media print{:root{--bg:#fff;--text:#000;--dim:#333;--line:#bbb;--soft:#f4f4f4;--accent:#000}body{max-width:none;padding:0;font-size:10.5pt}
h2{break-after:avoid}a::after{content:' (' attr(href) ')';font-size:.85em}}
"#;
