/**
 * Returns the size of an SVG from its opening tag: width and height in pixels, or else the view
 * box's. Undefined without either.
 */
export function svgDimensions(bytes: Buffer): { width: number; height: number } | undefined {
  const tag = openingTag(bytes.toString('utf8'))
  if (tag === undefined) return undefined
  const attribute = (name: string) =>
    new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`, 'i')
      .exec(tag)
      ?.slice(1)
      .find(value => value !== undefined)
  const width = pixels(attribute('width'))
  const height = pixels(attribute('height'))
  if (width && height) return { width, height }

  const box = (attribute('viewBox') ?? '')
    .trim()
    .split(/[\s,]+/)
    .map(Number)
  const [across, down] = [box[2], box[3]]
  if (box.length !== 4 || !(across && down && across > 0 && down > 0 && across < 1e6 && down < 1e6))
    return undefined
  if (width) return { width, height: Math.max(1, Math.round((width * down) / across)) }
  if (height) return { width: Math.max(1, Math.round((height * across) / down)), height }

  return { width: Math.max(1, Math.round(across)), height: Math.max(1, Math.round(down)) }
}

/**
 * The `<svg …>` tag when the text is an SVG: only a declaration, comments and a document type may
 * stand before it.
 */
function openingTag(text: string): string | undefined {
  let at = text.startsWith('\ufeff') ? 1 : 0
  for (;;) {
    while (at < text.length && /\s/.test(text[at]!)) at++
    if (/^<svg[\s>/]/i.test(text.slice(at, at + 5))) break
    const end = text.startsWith('<!--', at)
      ? '-->'
      : /^<[?!]/.test(text.slice(at, at + 2))
        ? '>'
        : undefined
    const found = end === undefined ? -1 : text.indexOf(end, at)
    if (found < 0) return undefined

    // An internal subset holds declarations of its own up to "]>".
    const open = text.slice(at, found).includes('[') ? text.indexOf(']', at) : -1

    at = open > 0 ? text.indexOf('>', open) + 1 : found + end!.length
    if (at <= 0) return undefined
  }

  return /^<svg(?:[^>"']|"[^"]*"|'[^']*')*>/i.exec(text.slice(at))?.[0]
}

const perUnit: Record<string, number> = {
  '': 1,
  px: 1,
  pt: 4 / 3,
  pc: 16,
  mm: 96 / 25.4,
  cm: 96 / 2.54,
  in: 96,
}

function pixels(value: string | undefined): number | undefined {
  const [, digits, unit] =
    /^\s*(\d{1,6}(?:\.\d{1,6})?)(px|pt|pc|mm|cm|in|)\s*$/.exec(value ?? '') ?? []
  if (digits === undefined) return undefined
  return Math.round(Number(digits) * perUnit[unit ?? '']!) || undefined
}
