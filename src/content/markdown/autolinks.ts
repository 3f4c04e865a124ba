/** A link that text alone makes: `end` is behind its last character. */
type Autolink = { end: number; href: string }

/** The longest local part of an address, and the longest name of a host. */
const longestName = 253

/** The name of a host, with a port or what else may follow behind it; one character too long at most. */
const host = /[^\s!-,/:-@[-^`{-~]{1,254}/y

/**
 * Returns the link that a URL or `www.` at an offset makes by the rules of GitHub's Markdown, but not
 * for FTP, which browsers do not open. It ends before a `]` without its `[` and before a tag. Linear
 * in the length of the link.
 */
export function urlAt(source: string, at: number, stop = source.length): Autolink | undefined {
  const scheme = /https?:\/\/|www\./iy
  scheme.lastIndex = at
  const [start = ''] = scheme.exec(source) ?? []
  if (start === '') return undefined
  const isBare = start[0]?.toLowerCase() === 'w'
  const from = isBare ? at : at + start.length
  host.lastIndex = from
  const [name = ''] = host.exec(source) ?? []
  if (name === '' || name.length > longestName || !isHost(name, isBare)) return undefined

  const end = trimmed(source, from, reach(source, from + name.length, stop))
  if (end <= from || (isBare && end <= at + start.length)) return undefined
  const text = source.slice(at, end)
  return { end, href: isBare ? `http://${text}` : text }
}

/** Reports whether a name may be that of a host; a bare one needs two parts behind each other. */
function isHost(name: string, isBare: boolean): boolean {
  const parts = name.replace(/\.+$/, '').split('.')
  if (isBare && parts.length < 2) return false
  return parts.slice(-2).every(part => part !== '' && !part.includes('_'))
}

/** Returns where the characters of a link end at the latest. */
function reach(source: string, from: number, stop: number): number {
  let depth = 0
  for (let at = from; at < stop; at++) {
    const char = source[at] as string
    if (char === '<' || char === '`' || /\s/.test(char)) return at
    if (char === '{' && source[at + 1] === '%') return at
    if (char === '[') depth++
    else if (char === ']' && depth-- === 0) return at
  }
  return stop
}

/** Returns the end of a link without the punctuation that belongs to the text around it. */
function trimmed(source: string, from: number, to: number): number {
  let [open, close] = [0, 0]
  for (let at = from; at < to; at++) {
    if (source[at] === '(') open++
    else if (source[at] === ')') close++
  }

  for (let end = to; end > from; ) {
    const char = source[end - 1] as string
    if (char === ')') {
      if (close <= open) return end
      close--
    } else if (char === ';') {
      const reference = /&[a-z0-9]{1,32};$/i.exec(source.slice(Math.max(from, end - 34), end))
      end -= (reference?.[0].length ?? 1) - 1
    } else if (!/[?!.,:*_~'"]/.test(char)) return end
    end--
  }
  return from
}

/** Reports whether `www.` at an offset may begin a link, by what is before it. */
export const mayBeginBare = (source: string, at: number): boolean =>
  at === 0 || /[\s*_~(]/.test(source[at - 1] as string)

const local = /[\w.+-]/
const domain = /[\w-]+(?:\.[\w-]+)+/y

/** Returns the addresses of e-mail in a text, in their order. Linear in its length. */
export function mailsIn(text: string): { start: number; end: number }[] {
  const found: { start: number; end: number }[] = []
  let floor = 0
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    let start = at
    const least = Math.max(floor, at - longestName)
    while (start > least && local.test(text[start - 1] as string)) start--
    floor = at + 1
    domain.lastIndex = at + 1
    const [name = ''] = domain.exec(text) ?? []
    const end = at + 1 + name.length
    // A link to an address with a scheme before it would lead elsewhere.
    if (start === at || !/[a-z]$/i.test(name) || text[end] === '@') continue
    if (isPartOfName(text.slice(Math.max(0, start - longestName), start))) continue
    found.push({ start, end })
    floor = end
  }
  return found
}

/**
 * Reports whether what follows this text is not an address of its own: the rest of a path, of a
 * name such as `@alice@example.org`, or of a URL with a password.
 */
function isPartOfName(before: string): boolean {
  const last = before.at(-1)
  if (last === '/' || last === '@') return true
  return last === ':' && before.lastIndexOf('://') > before.lastIndexOf(' ')
}
