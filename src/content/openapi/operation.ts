import { codeTabs, samplesMarkdown } from './code-samples.ts'
import { exampleGiven, exampleOfSchema, examplesGiven, type Side } from './example.ts'
import { parametersMarkdown, parametersOf } from './parameters.ts'
import { sampleRequest } from './request-sample.ts'
import { bareRef, headLine, type PieceState, schemaLines, typeText } from './schema.ts'
import { firstValue } from './schema-parts.ts'
import { linkTo, securityMarkdown, serversMarkdown } from './security.ts'
import { blockMarkdown, code, fence, lineMarkdown, lostText, words } from './text.ts'
import { clip, follow, isObject, objectIn, ownIn, textIn } from './value.ts'

const mostResponses = 50
const mostMedia = 5
const mostWords = 50_000
/**
 * The characters that a value of an example takes, roughly; and the smallest example, as a power of
 * two of its values.
 */
const leastValue = 24
const leastRoom = 4

/** An operation or webhook to describe. */
type Described = {
  heading: string
  method: string
  /** The path of an operation; undefined for a webhook. */
  path?: string
  item: unknown
  operation: unknown
}

/** Returns an operation as a piece of Markdown that starts with its heading. */
export function operationMarkdown(
  state: PieceState,
  { heading, method, path, item, operation }: Described,
): string {
  const { document } = state
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
    wordsOf(state, operation) || wordsOf(state, item),
    linkTo('More', ownIn(operation, 'externalDocs')),
    section('Servers', servers),
    section('Authorization', security),
    section('Parameters', parametersMarkdown(state, item, operation)),
    section(isCall ? 'Request body' : 'Payload', bodyMarkdown(state, operation)),
    section(
      'Example request',
      isCall ? requestMarkdown(state, { method, path, item, operation }) : '',
    ),
    section('Responses', responsesMarkdown(state, operation)),
    section('Callbacks', callbacksMarkdown(operation)),
  ]

  return `${parts.filter(part => part !== '').join('\n\n')}\n`
}

/** Returns the operation's id, in a list of at most one: readers search for it. */
function operationIdOf(operation: unknown): string[] {
  const id = textIn(operation, 'operationId', 200)
  return id === '' ? [] : [id]
}

const section = (heading: string, text: string): string =>
  text === '' ? '' : `### ${heading}\n\n${text}`

function wordsOf(state: PieceState, holder: unknown): string {
  const text = textIn(holder, 'description', mostWords)
  if (text === '' || state.chars <= 0) return ''
  state.chars -= text.length
  return blockMarkdown(text)
}

function bodyMarkdown(state: PieceState, operation: unknown): string {
  const { value: body, lost } = follow(state.document, ownIn(operation, 'requestBody'))
  if (lost !== undefined) return lostText(lost)
  if (!isObject(body)) return ''
  const required = ownIn(body, 'required') === true ? 'Required.' : ''
  const content = contentMarkdown(state, ownIn(body, 'content'), 'request')
  return [[wordsOf(state, body), required].filter(part => part !== '').join('\n\n'), content]
    .filter(part => part !== '')
    .join('\n\n')
}

/** Returns samples of a call, with the first example of its body. */
function requestMarkdown(
  state: PieceState,
  { method, path, item, operation }: Omit<Described, 'heading' | 'path'> & { path: string },
): string {
  const { document } = state
  const content = objectIn(
    ownIn(follow(document, ownIn(operation, 'requestBody')).value, 'content'),
  )
  const [type, written] = Object.entries(content)[0] ?? []
  const media = follow(document, written).value
  const text = type === undefined ? undefined : exampleOf(state, type, media, 'request')
  const { known: parameters } = parametersOf(document, item, operation)
  const body = type === undefined || text === undefined ? undefined : { type, text }
  const request = sampleRequest(document, item, { method, path, parameters, operation, body })
  const { text: samples, curl } = samplesMarkdown(operation, request)

  state.call =
    curl === undefined
      ? undefined
      : { sample: curl, method, path, item, operation, parameters, body }

  return samples
}

/** The status of the first response of an operation with each schema, by its reference. */
type Seen = { status: string; statuses: Map<string, string> }

function contentMarkdown(state: PieceState, content: unknown, side: Side, seen?: Seen): string {
  return Object.entries(objectIn(content))
    .slice(0, mostMedia)
    .map(([type, written]) =>
      mediaMarkdown(state, type, follow(state.document, written).value, side, seen),
    )
    .join('\n\n')
}

function mediaMarkdown(
  state: PieceState,
  type: string,
  media: unknown,
  side: Side,
  seen?: Seen,
): string {
  const { document } = state
  const schema = ownIn(media, 'schema') ?? ownIn(media, 'itemSchema')
  const head = `Content type: ${code(clip(type, 200))}${schema === undefined ? '' : ` — ${headLine(state, schema)}`}`
  const given = examplesGiven(document, media)
  const isJson = isJsonType(type) || given[0]?.isText === false
  const language = isJson ? 'json' : /xml/i.test(type) ? 'xml' : ''
  const examples = (texts: readonly { title: string; text: string }[]): string[] => {
    const [only] = texts
    if (!only) return []
    return texts.length > 1
      ? ['Examples:', codeTabs(texts.map(each => ({ ...each, language })))]
      : [`Example:\n\n${fence(only.text, language)}`]
  }

  const ref = bareRef(schema)
  const before = ref === undefined ? undefined : seen?.statuses.get(ref)
  if (before !== undefined)
    return [`${head} It is described at ${before}.`, ...examples(given)].join('\n\n')
  if (ref !== undefined) seen?.statuses.set(ref, words(clip(seen.status, 20)))

  const lines = schema === undefined ? [] : schemaLines(state, schema)
  const made = given.length > 0 ? undefined : exampleOf(state, type, media, side)
  const shown = made === undefined ? given : [{ title: '', text: made }]

  return [head, lines.join('\n'), ...examples(shown)].filter(part => part !== '').join('\n\n')
}

const isJsonType = (type: string): boolean => /[/+]json\b|ndjson/i.test(type)

/**
 * Returns the example that a media type gives, or one that is made from its schema if it is JSON.
 */
function exampleOf(
  state: PieceState,
  type: string,
  media: unknown,
  side: Side,
): string | undefined {
  const schema = ownIn(media, 'schema') ?? ownIn(media, 'itemSchema')
  const given = exampleGiven(state.document, media)
  const made = schema !== undefined && isJsonType(type) ? exampleOnce(state, schema, side) : 'null'
  return given?.text ?? (made === 'null' ? undefined : made)
}

/**
 * Returns an example, made once for all references to the same schema; 'null' where there is no
 * room for it.
 */
function exampleOnce(state: PieceState, schema: unknown, side: Side): string {
  const { document, share, made } = state
  // Rounded, so that many pieces share one example.
  const room = Math.floor(Math.log2(Math.min(2 * share, state.chars / leastValue)))
  if (state.nodes <= 0 || !(room >= leastRoom)) return 'null'

  const most = 2 ** room
  const ref = bareRef(schema)
  const key = `${side} ${most} ${ref}`
  const known = ref === undefined ? undefined : made.examples.get(key)
  const example = known ?? exampleOfSchema(document, schema, side, most)
  if (ref !== undefined) made.examples.set(key, example)
  if (example.length > state.chars) return 'null'
  state.chars -= example.length

  return example
}

function responsesMarkdown(state: PieceState, operation: unknown): string {
  const statuses: Seen['statuses'] = new Map()
  return Object.entries(objectIn(ownIn(operation, 'responses')))
    .slice(0, mostResponses)
    .map(([status, written]) => {
      const { value: response, lost } = follow(state.document, written)
      const heading = `#### ${words(clip(status, 20))}`
      if (lost !== undefined) return `${heading}\n\n${lostText(lost)}`

      return [
        heading,
        wordsOf(state, response),
        headersMarkdown(state, response),
        contentMarkdown(state, ownIn(response, 'content'), 'response', { status, statuses }),
      ]
        .filter(part => part !== '')
        .join('\n\n')
    })
    .join('\n\n')
}

function headersMarkdown(state: PieceState, response: unknown): string {
  const { document } = state
  const lines = Object.entries(objectIn(ownIn(response, 'headers')))
    .slice(0, mostResponses)
    .map(([name, written]) => {
      const header = follow(document, written).value
      const schema = ownIn(header, 'schema')
      const description = lineMarkdown(textIn(header, 'description', 500))
      const type = schema === undefined ? '' : `: ${typeText(state, schema)}`
      return `- ${code(clip(name, 100))}${type}${description ? ` — ${description}` : ''}`
    })

  return lines.length === 0 ? '' : `Headers:\n\n${lines.join('\n')}`
}

const callbacksMarkdown = (operation: unknown): string =>
  Object.keys(objectIn(ownIn(operation, 'callbacks')))
    .slice(0, mostResponses)
    .map(name => `- ${code(clip(name, 200))}`)
    .join('\n')

/** Returns a schema as a piece of Markdown that starts with its heading. */
export function schemaMarkdown(state: PieceState, name: string, written: unknown): string {
  const { document } = state
  const value = follow(document, written).value
  const ref = `#/components/schemas/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
  const lines = schemaLines(state, written, ref)
  const example = exampleOnce(state, { $ref: ref }, 'response')
  const deprecated = firstValue([value], 'deprecated') === true
  const parts = [
    `## ${words(name)}`,
    deprecated ? '{% hint style="warning" %}\nThis schema is deprecated.\n{% endhint %}' : '',
    wordsOf(state, value),
    headLine(state, written),
    lines.join('\n'),
    example === 'null' ? '' : `Example:\n\n${fence(example, 'json')}`,
  ]

  return `${parts.filter(part => part !== '').join('\n\n')}\n`
}
