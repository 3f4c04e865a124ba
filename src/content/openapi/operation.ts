import { exampleGiven, exampleOfSchema, type Side } from './example.ts'
import { bareRef, headLine, rulesText, schemaLines, typeText, type Writing } from './schema.ts'
import { said } from './schema-parts.ts'
import { linkTo, securityMarkdown, serversMarkdown } from './security.ts'
import { asSentence, blockMarkdown, code, fence, lineMarkdown, table, words } from './text.ts'
import { clip, follow, isObject, listIn, objectIn, ownIn, textIn } from './value.ts'

const mostParameters = 200
const mostResponses = 50
const mostMedia = 5
const mostWords = 50_000
/** How many characters a value of an example takes, about; where there is no room for two to the power of this, none is made. */
const leastValue = 24
const leastRoom = 4

/** An operation or webhook: what it is called, and what it is of. */
export type Described = {
  heading: string
  method: string
  /** The path of an operation; undefined for a webhook, which is called elsewhere. */
  path?: string
  item: unknown
  operation: unknown
}

/** An operation as a piece of Markdown that begins with its heading. */
export function operationMarkdown(
  writing: Writing,
  { heading, method, path, item, operation }: Described,
): string {
  const { document } = writing
  const isCall = path !== undefined
  const servers = isCall ? serversMarkdown(document, operation, item) : ''
  const security = isCall ? securityMarkdown(document, operation) : ''
  const deprecated = ownIn(operation, 'deprecated') === true
  const parts = [
    `## ${heading}`,
    deprecated ? '{% hint style="warning" %}\nThis operation is deprecated.\n{% endhint %}' : '',
    [method.toUpperCase(), ...(isCall ? [path] : []), ...operationIdOf(operation)]
      .map(each => code(each))
      .join(' '),
    wordsOf(writing, operation) || wordsOf(writing, item),
    linkTo('More', ownIn(operation, 'externalDocs')),
    section('Servers', servers),
    section('Authorization', security),
    section('Parameters', parametersMarkdown(writing, item, operation)),
    section(isCall ? 'Request body' : 'Payload', bodyMarkdown(writing, operation)),
    section('Responses', responsesMarkdown(writing, operation)),
    section('Callbacks', callbacksMarkdown(operation)),
  ]
  return `${parts.filter(part => part !== '').join('\n\n')}\n`
}

/** What programs call it: people look for it, too. */
const operationIdOf = (operation: unknown): string[] => {
  const id = textIn(operation, 'operationId', 200)
  return id === '' ? [] : [id]
}

const section = (heading: string, text: string): string => (text === '' ? '' : `### ${heading}\n\n${text}`)

function wordsOf(writing: Writing, holder: unknown): string {
  const text = textIn(holder, 'description', mostWords)
  if (text === '' || writing.chars <= 0) return ''
  writing.chars -= text.length
  return blockMarkdown(text)
}

/** The parameters of a path item and of its operation, which says them anew where both do. */
function parametersMarkdown(writing: Writing, item: unknown, operation: unknown): string {
  const { document } = writing
  const found = new Map<string, unknown>()
  const lost: string[] = []
  for (const written of [...listIn(ownIn(item, 'parameters')), ...listIn(ownIn(operation, 'parameters'))]) {
    if (found.size >= mostParameters) break
    const { value, lost: nowhere } = follow(document, written)
    if (nowhere !== undefined) lost.push(clip(nowhere, 200))
    if (isObject(value)) found.set(`${textIn(value, 'in')} ${textIn(value, 'name')}`, value)
  }
  const rows = [...found.values()].map(parameter => rowOf(writing, parameter))
  const missing = lost.slice(0, 20).map(ref => [`${code(ref, true)} (not found)`, '', '', ''])
  if (rows.length + missing.length === 0) return ''
  return table(['Name', 'In', 'Type', 'Description'], [...rows, ...missing])
}

function rowOf(writing: Writing, parameter: unknown): string[] {
  const { document } = writing
  const [media] = Object.values(objectIn(ownIn(parameter, 'content')))
  const schema = ownIn(parameter, 'schema') ?? ownIn(media, 'schema')
  const text = textIn(parameter, 'description', 2_000)
  const given = exampleGiven(document, parameter)
  const description = writing.chars > 0 ? lineMarkdown(text, true) : ''
  writing.chars -= text.length
  const rules = rulesText([follow(document, schema).value])
  const flags = [
    ...(ownIn(parameter, 'required') === true || ownIn(parameter, 'in') === 'path' ? ['required'] : []),
    ...(ownIn(parameter, 'deprecated') === true ? ['deprecated'] : []),
  ]
  const example = given && given.text.length <= 100 ? [`Example: ${code(given.text)}.`] : []
  const more = cell([...rules, ...example].join(' '))
  return [
    code(textIn(parameter, 'name'), true),
    words(textIn(parameter, 'in', 20), true),
    cell([schema === undefined ? 'any value' : typeText(writing, schema), ...flags].join(', ')),
    description === '' || more === '' ? description || more : `${asSentence(description)} ${more}`,
  ]
}

/** Markdown on one line for a cell. */
const cell = (markdown: string): string => markdown.replace(/\\*\|/g, '\\|')

function bodyMarkdown(writing: Writing, operation: unknown): string {
  const { value: body, lost } = follow(writing.document, ownIn(operation, 'requestBody'))
  if (lost !== undefined) return `${code(clip(lost, 200))} (not found)`
  if (!isObject(body)) return ''
  const required = ownIn(body, 'required') === true ? 'Required.' : ''
  const content = contentMarkdown(writing, ownIn(body, 'content'), 'request')
  return [[wordsOf(writing, body), required].filter(part => part !== '').join('\n\n'), content]
    .filter(part => part !== '')
    .join('\n\n')
}

function contentMarkdown(writing: Writing, content: unknown, side: Side): string {
  return Object.entries(objectIn(content))
    .slice(0, mostMedia)
    .map(([type, written]) => mediaMarkdown(writing, type, follow(writing.document, written).value, side))
    .join('\n\n')
}

function mediaMarkdown(writing: Writing, type: string, media: unknown, side: Side): string {
  const { document } = writing
  const schema = ownIn(media, 'schema') ?? ownIn(media, 'itemSchema')
  const lines = schema === undefined ? [] : schemaLines(writing, schema)
  const given = exampleGiven(document, media)
  const isJson = /[/+]json\b|ndjson/i.test(type)
  const made = schema !== undefined && isJson ? exampleOnce(writing, schema, side) : 'null'
  const example = given?.text ?? (made === 'null' ? undefined : made)
  const language = isJson ? 'json' : given?.isText === false ? 'json' : /xml/i.test(type) ? 'xml' : ''
  return [
    `Content type: ${code(clip(type, 200))}${schema === undefined ? '' : ` — ${headLine(writing, schema)}`}`,
    lines.join('\n'),
    example === undefined ? '' : `Example:\n\n${fence(example, language)}`,
  ]
    .filter(part => part !== '')
    .join('\n\n')
}

/** An example, worked out once for all references to the same schema; 'null' where there is no room for it. */
function exampleOnce(writing: Writing, schema: unknown, side: Side): string {
  const { document, share, made } = writing
  // Rounded, so that one example does for many pieces.
  const room = Math.floor(Math.log2(Math.min(2 * share, writing.chars / leastValue)))
  if (writing.nodes <= 0 || !(room >= leastRoom)) return 'null'
  const most = 2 ** room
  const ref = bareRef(schema)
  const key = `${side} ${most} ${ref}`
  const known = ref === undefined ? undefined : made.examples.get(key)
  const example = known ?? exampleOfSchema(document, schema, side, most)
  if (ref !== undefined) made.examples.set(key, example)
  if (example.length > writing.chars) return 'null'
  writing.chars -= example.length
  return example
}

function responsesMarkdown(writing: Writing, operation: unknown): string {
  return Object.entries(objectIn(ownIn(operation, 'responses')))
    .slice(0, mostResponses)
    .map(([status, written]) => {
      const { value: response, lost } = follow(writing.document, written)
      const heading = `#### ${words(clip(status, 20))}`
      if (lost !== undefined) return `${heading}\n\n${code(clip(lost, 200))} (not found)`
      return [
        heading,
        wordsOf(writing, response),
        headersMarkdown(writing, response),
        contentMarkdown(writing, ownIn(response, 'content'), 'response'),
      ]
        .filter(part => part !== '')
        .join('\n\n')
    })
    .join('\n\n')
}

function headersMarkdown(writing: Writing, response: unknown): string {
  const { document } = writing
  const lines = Object.entries(objectIn(ownIn(response, 'headers')))
    .slice(0, mostResponses)
    .map(([name, written]) => {
      const header = follow(document, written).value
      const schema = ownIn(header, 'schema')
      const description = lineMarkdown(textIn(header, 'description', 500))
      const type = schema === undefined ? '' : `: ${typeText(writing, schema)}`
      return `- ${code(clip(name, 100))}${type}${description ? ` — ${description}` : ''}`
    })
  return lines.length === 0 ? '' : `Headers:\n\n${lines.join('\n')}`
}

const callbacksMarkdown = (operation: unknown): string =>
  Object.keys(objectIn(ownIn(operation, 'callbacks')))
    .slice(0, mostResponses)
    .map(name => `- ${code(clip(name, 200))}`)
    .join('\n')

/** A schema as a piece of Markdown that begins with its heading. */
export function schemaMarkdown(writing: Writing, name: string, written: unknown): string {
  const { document } = writing
  const value = follow(document, written).value
  const ref = `#/components/schemas/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
  const lines = schemaLines(writing, written, ref)
  const example = exampleOnce(writing, { $ref: ref }, 'response')
  const deprecated = said([value], 'deprecated') === true
  const parts = [
    `## ${words(name)}`,
    deprecated ? '{% hint style="warning" %}\nThis schema is deprecated.\n{% endhint %}' : '',
    wordsOf(writing, value),
    headLine(writing, written),
    lines.join('\n'),
    example === 'null' ? '' : `Example:\n\n${fence(example, 'json')}`,
  ]
  return `${parts.filter(part => part !== '').join('\n\n')}\n`
}
