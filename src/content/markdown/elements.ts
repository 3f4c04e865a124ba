const elements = new Set(
  (
    'a abbr acronym address applet article aside audio b bdi bdo big blink blockquote body br button canvas ' +
    'caption center cite code col colgroup data datalist dd del details dfn dialog dir div dl dt em fieldset ' +
    'figcaption figure font footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe img input ' +
    'ins kbd label legend li main mark marquee math menu menuitem meter nav nobr noframes noscript ' +
    'ol optgroup option output p picture pre progress q rp rt ruby s samp script search section select slot small ' +
    'span strike strong style sub summary sup svg table tbody td template tfoot th thead time title tr ' +
    'tt u ul var video wbr'
  ).split(' '),
)

/** Elements of drawings and formulas, which may stand in a page. */
const drawn = new Set(
  (
    'annotation animate clippath defs desc ellipse filter foreignobject g lineargradient radialgradient semantics tspan ' +
    'textpath maction merror mfrac mi mmultiscripts mn mo mover mpadded mphantom mprescripts mroot mrow ms mspace msqrt ' +
    'mstyle msub msubsup msup mtable mtd mtext mtr munder munderover'
  ).split(' '),
)

/** Elements that do nothing without attributes: their names alone, such as `<path>`, are words. */
const attributed = new Set(
  (
    'area base circle embed image line link map marker mask meta object param path pattern polygon polyline rect ' +
    'set source stop switch symbol text textarea track use view'
  ).split(' '),
)

const nameOf = /^<\/?([A-Za-z][A-Za-z0-9-]*)/
const bare = /^<[A-Za-z][A-Za-z0-9-]*\s*>$/
const component = /^(?=.*[a-z])[A-Z][A-Za-z0-9]*$/

/**
 * Returns what a tag is one of: an element of HTML, SVG or MathML, or a component of MDX, which is
 * written with a capital letter and small ones. A page shows any other tag as text, because
 * `<account-id>` stands for a word.
 */
export function kindOfTag(tag: string): 'element' | 'component' | 'text' {
  const name = nameOf.exec(tag)?.[1] ?? ''
  if (component.test(name)) return 'component'
  const lower = name.toLowerCase()
  if (elements.has(lower) || drawn.has(lower)) return 'element'
  return attributed.has(lower) && !bare.test(tag) ? 'element' : 'text'
}
