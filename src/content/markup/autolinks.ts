import type MarkdownIt from 'markdown-it'
import type { StateInline, Token } from 'markdown-it'
import { mailsIn, mayBeginBare, urlAt } from '../markdown/autolinks.ts'

type Parser = InstanceType<typeof MarkdownIt>

/** Text up to a character that may begin something else, or up to `www.`. */
const words = /(?:www\.)?(?:(?!www\.)[^\n!#$%&*+\-:<=>@[\\\]^_`{}~])*/iy

/** Makes links of URLs, of `www.` and of addresses of e-mail in text, as GitHub's Markdown does. */
export function useAutolinks(grammar: Parser): void {
  const { ruler, ruler2 } = grammar.inline
  ruler.at('linkify', (state, silent) => !silent && linkOfScheme(state))
  ruler.before('text', 'www', (state, silent) => !silent && linkOfName(state))
  ruler.at('text', (state, silent) => {
    words.lastIndex = state.pos
    const end = Math.min(state.posMax, state.pos + (words.exec(state.src)?.[0].length ?? 0))
    if (end === state.pos) return false
    if (!silent) state.pending += state.src.slice(state.pos, end)
    state.pos = end
    return true
  })
  ruler2.push('mail', state => {
    if (!state.tokens.some(({ type, content }) => type === 'text' && content.includes('@')))
      return false
    // The caller holds the list of tokens.
    const tokens = withMails(state)
    state.tokens.length = 0
    for (const token of tokens) state.tokens.push(token)
    return false
  })
}

/** Adds the link of a URL whose `:` is at the position. */
function linkOfScheme(state: StateInline): boolean {
  if (state.linkLevel > 0 || !state.src.startsWith('://', state.pos)) return false
  const scheme = /(?:^|[^a-z0-9])(https?)$/i.exec(state.pending.slice(-6))?.[1]
  if (scheme === undefined) return false
  const at = state.pos - scheme.length
  const found = urlAt(state.src, at, state.posMax)
  if (!found || state.src.slice(at, state.pos) !== scheme) return false
  state.pending = state.pending.slice(0, -scheme.length)
  addLink(state, found.href, state.src.slice(at, found.end))
  state.pos = found.end
  return true
}

/** Adds the link of a name that begins with `www.` at the position. */
function linkOfName(state: StateInline): boolean {
  const { src, pos, linkLevel, posMax } = state
  if (linkLevel > 0 || !/[wW]/.test(src[pos] ?? '') || !mayBeginBare(src, pos)) return false
  const found = urlAt(src, pos, posMax)
  if (!found) return false
  addLink(state, found.href, src.slice(pos, found.end))
  state.pos = found.end
  return true
}

function addLink(state: StateInline, href: string, text: string): void {
  state.push('link_open', 'a', 1).attrs = [['href', href]]
  state.push('text', '', 0).content = text
  state.push('link_close', 'a', -1)
}

/** Returns the tokens of a text with those of links for addresses of e-mail outside of links. */
function withMails({ tokens, Token: Made }: StateInline): Token[] {
  let links = 0
  return tokens.flatMap(token => {
    if (token.type === 'link_open') links++
    else if (token.type === 'link_close') links--
    else if (token.type === 'html_inline') links += anchorStep(token.content)
    if (token.type !== 'text' || links > 0 || !token.content.includes('@')) return [token]

    const text = (content: string) => {
      const made = new Made('text', '', 0)
      made.content = content
      made.level = token.level
      return content === '' ? [] : [made]
    }
    let at = 0
    const parts = mailsIn(token.content).flatMap(({ start, end }) => {
      const before = text(token.content.slice(at, start))
      const address = token.content.slice(start, end)
      const open = new Made('link_open', 'a', 1)
      open.attrs = [['href', `mailto:${address}`]]
      at = end
      return [...before, open, ...text(address), new Made('link_close', 'a', -1)]
    })
    return [...parts, ...text(token.content.slice(at))]
  })
}

const anchorStep = (tag: string): number =>
  /^<a[\s>]/i.test(tag) ? 1 : /^<\/a\s*>/i.test(tag) ? -1 : 0
