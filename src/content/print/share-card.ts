/**
 * What the image of a page shows that other services put beside a link to it. Colors are hex
 * digits.
 */
export type ShareCard = {
  site: string
  title: string
  description: string
  /** The icon of the site as SVG; undefined for none. */
  icon: string | undefined
  /**
   * The address of the logo of the site, which stands in place of icon and title; undefined for
   * none.
   */
  logo?: string | undefined
  /** `bar` is the color behind the logo where that differs from the paper. */
  colors: {
    paper: string
    text: string
    muted: string
    primary: string
    wash: string
    bar?: string | undefined
  }
  lang: string
  dir: 'ltr' | 'rtl'
  fonts: readonly string[]
}

/**
 * What the process that draws a card finds in `order.json`; `logo` is the name of a file with the
 * bytes of the logo.
 */
export type ShareOrder = {
  card: ShareCard
  fontFolders: readonly string[]
  logo?: string | undefined
}

/** The order for an icon: an SVG and its size in pixels. */
export type IconOrder = { svg: string; size: number; fontFolders: readonly string[] }

export type DrawOrder = ShareOrder | IconOrder

/** The Typst source of an icon of 64 × 64 points. It reads the drawing from `icon.svg`. */
export const iconSource = `#set page(width: 64pt, height: 64pt, margin: 0pt, fill: none)
#image("icon.svg", width: 64pt, height: 64pt)
`

/** The most points that a logo is wide and high. */
export const logoBox = { width: 520, height: 76 }

/** The longest texts, in characters. Longer ones are cut. */
const longestTitle = 160
const longestDescription = 220

function inLine(text: string, longest: number): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length <= longest
    ? line
    : `${line
        .slice(0, longest - 1)
        .toWellFormed()
        .trimEnd()}…`
}

/** Returns a text whose long words can be broken: with soft hyphens. */
const breakable = (text: string): string =>
  text.replace(/[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}._/-]{18,}/gu, word =>
    word.replace(/.{12}(?=.{4})/gu, '$&\u00ad'),
  )

/**
 * Returns whether the first letter of a text belongs to a script that is written from right to
 * left.
 */
const isRightToLeft = (text: string): boolean =>
  /^\P{L}*[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}]/u.test(text)

/** Returns a card with texts of a length that fits, in the direction of its title. */
export const cutCard = (card: ShareCard): ShareCard => ({
  ...card,
  dir: isRightToLeft(card.title) ? 'rtl' : card.dir,
  site: inLine(card.site, 60),
  title: breakable(inLine(card.title, longestTitle)),
  description: breakable(inLine(card.description, longestDescription)),
})

/**
 * The Typst source of a card of 1200 × 630 points. It reads the texts from `card.json`, and images
 * from `icon.svg` and `logo.png`.
 */
export const shareCardSource = `#let card = json("card.json")
#let colors = card.colors
#set page(width: 1200pt, height: 630pt, margin: 0pt, fill: rgb(colors.paper))
#set text(
  font: card.fonts, lang: card.lang, dir: if card.dir == "rtl" { rtl } else { ltr },
  fill: rgb(colors.text), top-edge: "ascender", bottom-edge: "descender", hyphenate: false,
)
#set par(leading: 0.2em)
#let fitted(sizes, height, it) = context {
  let at(size) = block(width: 1040pt, text(size: size, it))
  let fitting = sizes.filter(size => measure(at(size)).height <= height)
  if fitting.len() > 0 { at(fitting.first()) }
  else { block(width: 1040pt, height: height, clip: true, text(size: sizes.last(), it)) }
}
#place(bottom + end, dx: 150pt, dy: 170pt, circle(radius: 230pt, fill: rgb(colors.wash)))
#place(top + start, rect(width: 100%, height: 14pt, fill: rgb(colors.primary)))
#place(top + start, pad(x: 80pt, top: 76pt, block(width: 1040pt, height: 500pt)[
  #if "size" in card {
    let drawn = image("logo.png", width: card.size.width * 1pt, height: card.size.height * 1pt)
    if "bar" in colors { box(fill: rgb(colors.bar), inset: 14pt, radius: 12pt, drawn) } else { drawn }
  } else {
    grid(columns: (auto, 1fr), column-gutter: 20pt, align: horizon,
      if "icon" in card { image("icon.svg", width: 56pt, height: 56pt) },
      text(size: 30pt, weight: "bold", fill: rgb(colors.muted), card.site))
  }
  #v(40pt)
  #fitted((76pt, 68pt, 60pt, 52pt, 44pt), 260pt, text(weight: "bold", fill: rgb(colors.text), card.title))
  #v(18pt)
  #fitted((32pt, 28pt, 24pt), 110pt, text(fill: rgb(colors.muted), card.description))
]))
`
