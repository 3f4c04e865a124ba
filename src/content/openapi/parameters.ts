import { tableOf } from '../markdown/write.ts'
import { exampleGiven } from './example.ts'
import { type PieceState, rulesText, typeText } from './schema.ts'
import { asSentence, code, lineMarkdown, lostText, words } from './text.ts'
import { follow, isObject, type LostRef, listIn, objectIn, ownIn, textIn } from './value.ts'

const mostParameters = 200

/**
 * Returns the parameters of an operation, which override those of the path item, and references
 * without a target.
 */
export function parametersOf(
  document: unknown,
  item: unknown,
  operation: unknown,
): { known: unknown[]; lost: LostRef[] } {
  const found = new Map<string, unknown>()
  const lost: LostRef[] = []
  for (const written of [
    ...listIn(ownIn(item, 'parameters')),
    ...listIn(ownIn(operation, 'parameters')),
  ]) {
    if (found.size >= mostParameters) break
    const { value, lost: nowhere } = follow(document, written)
    if (nowhere !== undefined) lost.push(nowhere)
    if (isObject(value)) found.set(`${textIn(value, 'in')} ${textIn(value, 'name')}`, value)
  }

  return { known: [...found.values()], lost }
}

/** Returns the parameters of an operation as a table of Markdown; '' without any. */
export function parametersMarkdown(state: PieceState, item: unknown, operation: unknown): string {
  const { known, lost } = parametersOf(state.document, item, operation)
  const rows = known.map(parameter => rowOf(state, parameter))
  const missing = lost.slice(0, 20).map(ref => [lostText(ref, true), '', '', ''])
  if (rows.length + missing.length === 0) return ''
  return tableOf(['Name', 'In', 'Type', 'Description'], [...rows, ...missing])
}

function rowOf(state: PieceState, parameter: unknown): string[] {
  const { document } = state
  const [media] = Object.values(objectIn(ownIn(parameter, 'content')))
  const schema = ownIn(parameter, 'schema') ?? ownIn(media, 'schema')
  const text = textIn(parameter, 'description', 2_000)
  const given = exampleGiven(document, parameter)
  const description = state.chars > 0 ? lineMarkdown(text, true) : ''

  state.chars -= text.length
  const rules = rulesText([follow(document, schema).value])
  const flags = [
    ...(ownIn(parameter, 'required') === true || ownIn(parameter, 'in') === 'path'
      ? ['required']
      : []),
    ...(ownIn(parameter, 'deprecated') === true ? ['deprecated'] : []),
  ]
  const example = given && given.text.length <= 100 ? [`Example: ${code(given.text)}.`] : []
  const more = cell([...rules, ...example].join(' '))

  return [
    code(textIn(parameter, 'name'), true),
    words(textIn(parameter, 'in', 20), true),
    cell([schema === undefined ? 'any value' : typeText(state, schema), ...flags].join(', ')),
    description === '' || more === '' ? description || more : `${asSentence(description)} ${more}`,
  ]
}

/** Escapes a line of Markdown for a table cell. */
const cell = (markdown: string): string => markdown.replace(/\\*\|/g, '\\|')
