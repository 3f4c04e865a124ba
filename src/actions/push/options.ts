import { cleanText } from '../../git/protocol/report.ts'

/** What the options of a push ask for. */
export type PushOptions = {
  title: string | undefined
  /** A document. */
  description: object | undefined
  draft: boolean
  /** The name of the branch of the change request. */
  topic: string | undefined
  /** The names of options that are not known. */
  unknown: readonly string[]
}

/** The longest title, in characters; as in the API. */
const mostTitle = 100
const mostDescription = 10_000

/** Reads the values of `git push -o`: `name` or `name=value`. The last value of a name counts. */
export function readOptions(options: readonly string[]): PushOptions {
  const values = new Map<string, string>()
  const unknown: string[] = []
  for (const option of options) {
    const [, name = '', value = ''] = /^([^=]*)=?(.*)$/s.exec(option) ?? []
    if (known.has(name)) values.set(name, value)
    else unknown.push(name)
  }

  return {
    title: titleFrom(values.get('title') ?? ''),
    description: descriptionFrom(values.get('description') ?? ''),
    draft: values.has('draft') && !/^(?:false|0|no)$/.test(values.get('draft') ?? ''),
    topic: values.get('topic') || undefined,
    unknown,
  }
}

const known = new Set(['title', 'description', 'draft', 'topic'])

/** Returns a text as the title of a change request; undefined if nothing is left of it. */
export function titleFrom(text: string): string | undefined {
  const title = [...cleanText(text, Number.MAX_SAFE_INTEGER).trim()]
    .slice(0, mostTitle)
    .join('')
    .trim()
  return title === '' ? undefined : title
}

/**
 * Returns plain text as a document with a paragraph per line; the value of an option has `\n` for a
 * line end.
 */
function descriptionFrom(text: string): object | undefined {
  const lines = text
    .slice(0, mostDescription)
    .split(/\\n|\n/)
    .map(line => cleanText(line, Number.MAX_SAFE_INTEGER).trim())
    .filter(line => line !== '')
  if (lines.length === 0) return undefined
  const nodes = lines.map(line => ({
    object: 'block',
    type: 'paragraph',
    data: {},
    nodes: [{ object: 'text', leaves: [{ object: 'leaf', text: line, marks: [] }] }],
  }))

  return { object: 'document', data: {}, nodes }
}
