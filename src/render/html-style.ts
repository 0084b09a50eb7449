/**
 * The style sheet of the page. It follows the color scheme of the reader. The class `s31` is the terminal color 31.
 */
export const style =
  ':root{color-scheme:light dark}body{max-width:50rem;margin:auto;padding:1rem;font:1rem/1.5 system-ui;color:CanvasText;background:Canvas;overflow-wrap:anywhere}h1{font-size:1.5rem}h2{margin:0;font-size:1rem}p,pre{margin:.5rem 0;white-space:pre-wrap}section,details{margin:1rem 0}.user,.tool,pre{padding:.75rem;border:1px solid #8884;border-radius:.5rem}.user,pre,code{background:#8881}pre{max-height:30rem;overflow:auto}pre,code{font:.8rem/1.4 monospace}img{max-width:100%}.s1{font-weight:700}.label,summary{opacity:.7;font-size:.875rem}.s31{--c:red}.s32{--c:green}.s33{--c:orange}.s34{--c:blue}.s35{--c:magenta}.s36{--c:teal}span{color:color-mix(in srgb,var(--c,CanvasText) 55%,CanvasText)}';
