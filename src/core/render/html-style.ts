/**
 * The style sheet of the page, in the color scheme of the reader. The class `s31` is the terminal color 31. Each rule
 * is one line here, and the page has no line feeds between them.
 */
const rules = [
  ':root{color-scheme:light dark;--line:#8884;--soft:#8881;--faint:color-mix(in srgb,CanvasText 68%,Canvas)}',
  'body{max-width:54rem;margin:auto;padding:1rem 1rem 4rem;font:1rem/1.55 system-ui,sans-serif;color:CanvasText;background:Canvas;overflow-wrap:anywhere}',
  'header{padding-bottom:.5rem;border-bottom:1px solid var(--line)}',
  'h1{margin:0;font-size:1.5rem;line-height:1.25}',
  'h2,summary{margin:0;font-size:.9rem;font-weight:600}',
  // Each line of a text has the direction of its first letter.
  'p{margin:.5rem 0;white-space:pre-wrap;unicode-bidi:plaintext}',
  'section,.thought{margin:1.25rem 0;scroll-margin-top:1rem}',
  '.user,.tool{padding:.75rem 1rem;border:1px solid var(--line);border-radius:.5rem}',
  '.user{background:var(--soft)}',
  ':target{outline:2px solid Highlight;outline-offset:.5rem;border-radius:.25rem}',
  // Agent text is never a link, so all links are anchors.
  'a{margin-left:.5rem;color:inherit;text-decoration:none;opacity:.25}',
  'a:hover,a:focus,section:hover>h2>a{opacity:.7}',
  '.label,summary{opacity:.75;font-size:.85rem}',
  'summary{cursor:pointer;font-weight:400}',
  '.thought>p{padding-left:1rem;border-left:3px solid var(--line);opacity:.85}',
  'pre,p code{font:.82rem/1.5 ui-monospace,monospace;background:var(--soft)}',
  'p code{padding:.1em .3em;border-radius:.25rem}',
  'pre{margin:.5rem 0;padding:.6rem .75rem;border:1px solid var(--line);border-radius:.4rem;overflow-x:auto;tab-size:4;overflow-wrap:normal}',
  'pre code{display:inline-block;min-width:100%;font:inherit}',
  '.diff{padding-inline:0}',
  '.diff span{display:block}',
  '.diff i{color:var(--faint);font-style:normal;user-select:none;padding-left:.5rem}',
  '.add{background:#2ea04333}',
  '.del{background:#f8514933}',
  '.hunk{padding-left:.5rem;color:var(--faint);background:var(--soft)}',
  // The start of a folded text stays visible.
  '.long:not([open])::details-content{content-visibility:visible;display:block;max-height:15rem;overflow:hidden;mask-image:linear-gradient(#000 70%,#0000)}',
  '.long{margin:.5rem 0}',
  'img{max-width:100%}',
  '.s1{font-weight:700}',
  '.s31{--c:red}.s32{--c:green}.s33{--c:orange}.s34{--c:blue}.s35{--c:magenta}.s36{--c:teal}',
  'code span{color:color-mix(in srgb,var(--c,CanvasText) 55%,CanvasText)}',
  '@media print{body{max-width:none;padding:0;font-size:10pt}pre{white-space:pre-wrap;overflow-wrap:anywhere}a{display:none}h2,summary,.hunk{break-after:avoid}.user,.tool{padding:0 0 0 .75rem;border-width:0 0 0 3px;border-radius:0}pre{border:0;box-decoration-break:clone}.add,.del,.user,pre{print-color-adjust:exact}details::details-content,.long:not([open])::details-content{content-visibility:visible;display:block;max-height:none;mask-image:none}}',
];

export const style = rules.join('');
