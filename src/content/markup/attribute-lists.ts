import { listBehind } from '../markdown/attribute-list.ts'
import type { newGrammar } from '../markdown/grammar.ts'

const width = /(?:^|[ \t])width=["']?([\d.]+(?:px|%)?)/

/**
 * Adds the lists of attributes of Material for MkDocs to a grammar, such as `{ .class width="200" }`
 * behind an image or a link. They show nothing; the width counts.
 */
export function useAttributeLists({ inline: { ruler } }: ReturnType<typeof newGrammar>): void {
  ruler.before('escape', 'attributes', (state, silent) => {
    const last = state.pending === '' && !silent ? state.tokens.at(-1) : undefined
    if (last?.type !== 'image' && last?.type !== 'link_close') return false
    const found = listBehind(state.src, state.pos, last.type === 'image' ? 'image' : 'link')
    if (!found || found.end > state.posMax) return false

    const wide = last.type === 'image' ? width.exec(found.content)?.[1] : undefined
    if (wide !== undefined) last.attrSet('width', wide)
    state.pos = found.end

    return true
  })
}
