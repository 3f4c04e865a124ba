const elements = new Set(
  (
    'a abbr acronym address applet area article aside audio b base bdi bdo big blink blockquote body br button canvas ' +
    'caption center cite code col colgroup data datalist dd del details dfn dialog dir div dl dt em embed fieldset ' +
    'figcaption figure font footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe img input ' +
    'ins kbd label legend li link main map mark marquee math menu menuitem meta meter nav nobr noframes noscript object ' +
    'ol optgroup option output p param picture pre progress q rp rt ruby s samp script search section select slot small ' +
    'source span strike strong style sub summary sup svg table tbody td template textarea tfoot th thead time title tr ' +
    'track tt u ul var video wbr'
  ).split(' '),
)

/** Elements of drawings and formulas, which may stand in a page. */
const drawn = new Set(
  (
    'annotation circle clippath defs ellipse g line lineargradient mask path pattern polygon polyline radialgradient ' +
    'rect semantics stop symbol text tspan use maction merror mfrac mi mmultiscripts mn mo mover mpadded mphantom mroot ' +
    'mrow ms mspace msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover'
  ).split(' '),
)

/** Reports whether a name in lower case is that of an element of HTML, SVG or MathML. */
export const isHtmlElement = (name: string): boolean => elements.has(name) || drawn.has(name)
