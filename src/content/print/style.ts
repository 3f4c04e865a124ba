/**
 * The style of a printed book: the Typst functions that its pages call. Must not contain user
 * input.
 */
export const printStyle = `
#let ink = rgb("#1d2730")
#let faint = rgb("#66727f")
#let hair = rgb("#d5dbe1")
#let accent = rgb("#1f5aa8")
#let paper = rgb("#f5f7f9")
#let hues = (
  info: rgb("#2f6fd0"), success: rgb("#1f8a4c"), warning: rgb("#b86e00"), danger: rgb("#c23a34"),
  primary: rgb("#1f5aa8"), tint: rgb("#5b6b7b"), red: rgb("#c23a34"), orange: rgb("#c76a00"),
  yellow: rgb("#a07800"), green: rgb("#1f8a4c"), blue: rgb("#2f6fd0"), purple: rgb("#7a4bc2"),
  pink: rgb("#c2408a"), gray: rgb("#66727f"),
)
#let pale(color, share: 90%) = color.lighten(share)

#let go(target, body) = {
  if target == none { body }
  else if target.starts-with("stemma:") { link(target, body) }
  else { link(label(target), body) }
}
#let mono(body) = highlight(
  fill: rgb("#eceff2"), radius: 2pt, extent: 1.2pt, top-edge: "ascender", bottom-edge: "descender",
  text(font: mono-fonts, size: 0.86em, hyphenate: false, body),
)
#let key(body) = box(
  stroke: 0.6pt + hair, fill: white, radius: 2.5pt, inset: (x: 3pt), outset: (y: 2.5pt),
  text(font: mono-fonts, size: 0.82em, body),
)
#let smaller(body) = text(size: 0.86em, body)
#let tinted(color, behind, body) = {
  let words = if color == none { body } else { text(fill: hues.at(color), body) }
  if behind == none { words } else { highlight(fill: pale(hues.at(behind), share: 78%), extent: 1pt, words) }
}
#let check(on) = box(width: 0.78em, height: 0.78em, baseline: 0.08em, radius: 1.5pt,
  stroke: 0.7pt + if on { accent } else { faint }, fill: if on { accent } else { white },
  if on {
    place(line(start: (0.14em, 0.4em), end: (0.32em, 0.58em), stroke: 0.9pt + white))
    place(line(start: (0.32em, 0.58em), end: (0.64em, 0.2em), stroke: 0.9pt + white))
  })

#let running = state("running", [])
#let section(level, kind, body) = heading(level: level, supplement: kind, outlined: false, bookmarked: true, body)
#let page-title(level, kind, body) = heading(level: level, supplement: kind, outlined: true, body)
#let minor(body) = block(above: 1em, below: 0.7em, sticky: true, strong(body))
#let lead(body) = block(above: 0.9em, below: 1.4em, text(fill: faint, size: 1.06em, body))
#let beneath(body) = block(above: 0.55em, below: 0pt, text(size: 0.84em, fill: faint, body))
#let divider() = block(above: 1.5em, below: 1.5em, line(length: 100%, stroke: 0.6pt + hair))
#let quoted(body) = block(
  width: 100%, inset: (left: 12pt, y: 2pt), stroke: (left: 2pt + hair), above: 1.2em, below: 1.2em,
  text(fill: faint.darken(20%), body),
)
#let caption(body) = align(center, block(above: 0.7em, below: 1.3em, text(size: 0.86em, fill: faint, body)))

#let sign(style) = {
  let color = hues.at(style)
  box(width: 1.1em, height: 1.1em, radius: 50%, fill: color, align(center + horizon,
    if style == "success" {
      place(line(start: (0.3em, 0.56em), end: (0.48em, 0.74em), stroke: 1pt + white))
      place(line(start: (0.48em, 0.74em), end: (0.82em, 0.36em), stroke: 1pt + white))
    } else { text(size: 0.78em, weight: "bold", fill: white, if style == "info" { "i" } else { "!" }) }))
}
#let hint(style, body) = block(
  width: 100%, fill: pale(hues.at(style), share: 92%), stroke: (left: 3pt + hues.at(style)), radius: (right: 3pt),
  inset: (left: 10pt, right: 12pt, y: 9pt), above: 1.3em, below: 1.3em,
  grid(columns: (1.1em, 1fr), column-gutter: 8pt, sign(style), body),
)
#let bar(title, color) = block(
  width: 100%, fill: paper, inset: (x: 11pt, y: 6.5pt), above: 0pt, below: 0pt, sticky: true,
  stroke: (bottom: 0.6pt + hair), text(size: 0.92em, weight: "bold", fill: color, title),
)
#let framed(title, color, body) = block(
  width: 100%, stroke: 0.6pt + hair, radius: 3pt, above: 1.3em, below: 1.3em, clip: true, {
    if title != none { bar(title, color) }
    block(width: 100%, inset: (x: 11pt, y: 9pt), above: 0pt, below: 0pt, body)
  },
)
#let tab(title, body) = framed(title, accent, body)
#let details(title, body) = framed(title, ink, body)
#let step(number, body) = block(width: 100%, above: 1.2em, below: 1.2em, grid(
  columns: (1.7em, 1fr), column-gutter: 9pt,
  box(width: 1.6em, height: 1.6em, radius: 50%, fill: pale(accent, share: 88%), align(center + horizon,
    text(size: 0.82em, weight: "bold", fill: accent, str(number)))),
  block(width: 100%, inset: (top: 0.22em), body),
))
#let beside(widths, ..bodies) = block(width: 100%, above: 1.2em, below: 1.2em,
  grid(columns: widths, column-gutter: 16pt, ..bodies))
#let reference(body) = block(
  width: 100%, stroke: 0.6pt + hair, radius: 3pt, inset: (x: 11pt, y: 8pt), above: 1.1em, below: 1.1em, body,
)
#let update(date, tags, body) = block(width: 100%, above: 1.5em, below: 1.5em,
  inset: (left: 12pt), stroke: (left: 1.5pt + pale(accent, share: 60%)), {
    block(below: 0.9em, sticky: true, {
      text(size: 0.88em, weight: "bold", fill: accent, date)
      for name in tags { h(7pt) + box(fill: pale(accent, share: 90%), radius: 2pt, inset: (x: 4pt), outset: (y: 2.5pt),
        text(size: 0.78em, fill: accent, name)) }
    })
    body
  })
#let tasks(..items) = block(above: 1em, below: 1em, grid(columns: (1.3em, 1fr), row-gutter: 0.65em,
  ..items.pos().map(((on, body)) => (if on == none { [•] } else { check(on) }, body)).flatten()))

// As wide as is wanted and there is room, and whole: never higher than this.
#let fitted(name, wanted, highest, alt) = layout(room => {
  let own = measure(image(name))
  let width = if wanted == none { own.width } else if type(wanted) == ratio { room.width * wanted } else { wanted * 0.75pt }
  let most = if own.height > 0pt { highest * (own.width / own.height) } else { own.width }
  image(name, width: calc.min(room.width, width, most), fit: "contain", alt: alt)
})
#let picture(name, width, alt, words) = {
  if name == none { if words != [] { reference(words) } } else {
    block(width: 100%, above: 1.3em, below: 1.3em, breakable: false, align(center, {
      fitted(name, width, 18cm, alt)
      if words != [] { caption(words) }
    }))
  }
}
#let line-image(name, width) = box(baseline: 0.15em, image(name, height: 1em, fit: "contain"))
#let inline-image(name, width) = box(baseline: 20%, fitted(name, width, 10cm, none))

// An item of a list that lies deep in others: a list is a grid, and what is in n grids is measured
// 2^n times.
#let deep(marker, body) = block(inset: (left: 12pt), above: 0.7em, below: 0.7em, width: 100%, {
  place(dx: -10pt, text(fill: faint, marker))
  body
})

// A part of very long code says whether it is the first and the last, and the number of its first
// line. \`long\`: words of code are broken after so many characters.
#let listing(code, language, title, number, long, ends) = {
  let lines = raw(block: true, lang: language, code)
  let (first, last) = ends
  let side = 0.6pt + hair
  block(
    width: 100%, fill: paper, clip: true,
    stroke: (left: side, right: side, top: if first { side }, bottom: if last { side }),
    radius: (top: if first { 3pt } else { 0pt }, bottom: if last { 3pt } else { 0pt }),
    above: if first { 1.2em } else { 0pt }, below: if last { 1.2em } else { 0pt }, {
    if title != none { bar(text(font: mono-fonts, size: 0.88em, weight: "regular", title), faint) }
    let inset = (x: 10pt, top: if first { 8.5pt } else { 0pt }, bottom: if last { 8.5pt } else { 0.62em })
    block(width: 100%, inset: inset, above: 0pt, below: 0pt, {
      set par(leading: 0.62em)
      if number != none or long != none {
        show raw.line: it => {
          show regex("[!-ɏ]{" + str(if long == none { 40 } else { long }) + "}"): part => { part; box() }
          if number != none { box(width: if number > 500 { 3.2em } else { 2.4em }, text(fill: faint, str(it.number + number - 1))) }
          it.body
        }
        lines
      } else { lines }
    })
  })
}

#let sheet-table(widths, aligns, ..cells) = {
  let count = widths.len()
  set text(size: if count > 10 { 0.66em } else if count > 6 { 0.78em } else { 0.9em }, hyphenate: true)
  set par(leading: 0.56em, spacing: 0.8em)
  show heading: it => strong(it.body)
  block(width: 100%, above: 1.3em, below: 1.3em, table(
    columns: widths, align: (x, y) => aligns.at(x, default: left) + top,
    inset: (x: if count > 8 { 3pt } else { 6pt }, y: 5pt),
    stroke: (x, y) => (top: if y == 0 { 0.8pt + faint } else { 0.5pt + hair }, bottom: 0.5pt + hair),
    ..cells,
  ))
}
#let head(colspan: 1, body) = table.cell(colspan: colspan, strong(body))
#let cards(columns, ..bodies) = block(width: 100%, above: 1.3em, below: 1.3em,
  grid(columns: (1fr,) * columns, gutter: 10pt, ..bodies))
#let card(cover, body) = block(width: 100%, stroke: 0.6pt + hair, radius: 3pt, clip: true, {
  if cover != none { block(width: 100%, above: 0pt, below: 0pt, fill: paper, align(center, fitted(cover, 100%, 6cm, none))) }
  block(width: 100%, inset: 9pt, above: 0pt, below: 0pt, { set text(size: 0.92em); set par(spacing: 0.7em); body })
})
`

/** The settings of a whole book, which need its title and fonts. */
export const printFrame = `
#set page(
  paper: "a4", margin: (x: 2.4cm, top: 2.6cm, bottom: 2.4cm), header-ascent: 38%, footer-descent: 42%,
  header: context {
    if counter(page).get().first() + pages-before > 1 {
      set text(size: 8.5pt, fill: faint)
      grid(columns: (1fr, 1fr), column-gutter: 12pt, short-title, align(right, running.get()))
      v(-5pt)
      line(length: 100%, stroke: 0.5pt + hair)
    }
  },
  footer: context {
    let number = counter(page).get().first() + pages-before
    if number > 1 { align(center, text(size: 8.5pt, fill: faint, str(number))) }
  },
)
#set text(size: 10.5pt, fill: ink, hyphenate: false, overhang: false)
#set par(justify: false, leading: 0.7em, spacing: 1.15em)
#set list(indent: 4pt, body-indent: 7pt, marker: (text(fill: faint, [•]), text(fill: faint, [–]), text(fill: faint, [·])))
#set enum(indent: 4pt, body-indent: 7pt)
#set raw(tab-size: 4)
#set footnote.entry(separator: line(length: 22%, stroke: 0.5pt + hair))
#show raw: set text(font: mono-fonts, size: 1.02em)
#show link: set text(fill: accent)
#show heading: it => {
  let sizes = (p0: 22pt, p1: 18pt, p2: 16pt, g: 12pt, h2: 14.5pt, h3: 12.5pt, h4: 11.2pt, h5: 10.6pt, h6: 10.5pt)
  let kind = if it.supplement.has("text") { it.supplement.text } else { "" }
  let size = sizes.at(kind, default: 18pt)
  let top = if kind == "p0" or kind == "g" { 0pt } else if kind.starts-with("p") { 2.6em } else { 1.5em }
  block(above: top, below: if kind.starts-with("p") { 1.25em } else if kind == "g" { 0.9em } else { 1em }, sticky: true, width: 100%,
    text(size: size, weight: "bold", hyphenate: false, fill: if kind == "g" { accent } else { ink }, it.body))
}
#let counted(number) = box(width: 2.2em, align(right, number))
#let contents-line(level, target, body, page) = {
  let top = level == 1
  block(above: if top { 1.05em } else { 0.62em }, below: 0pt, link(target, {
    set text(fill: ink, weight: if top { "bold" } else { "regular" })
    h((level - 1) * 1.3em)
    body
    if top { h(1fr) } else { box(width: 1fr, inset: (x: 5pt), text(fill: hair, repeat(gap: 3pt, [.]))) }
    text(weight: "regular", page)
  }))
}
#show outline.entry: it => contents-line(it.level, it.element.location(), it.body(), it.page())
`
