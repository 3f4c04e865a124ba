import type { SampleRequest } from './request-sample.ts'
import { fence } from './text.ts'
import { isObject, listIn, ownIn, textIn } from './value.ts'

/** The most samples that a spec gives for an operation, and the longest, in characters. */
const mostGiven = 8
const longestGiven = 10_000

type Sample = { title: string; language: string; text: string }

/**
 * Returns samples of a request as tabs: those that the spec gives (`x-codeSamples`), and others in
 * curl, JavaScript and Python; '' without any. `curl` is the sample that a reader can send.
 */
export function samplesMarkdown(
  operation: unknown,
  request: SampleRequest | undefined,
): { text: string; curl: string | undefined } {
  const given = givenSamples(operation)
  const curl = request && curlText(request)
  const titles = new Set(given.map(({ title }) => title.toLowerCase()))
  const made: Sample[] = request
    ? [
        { title: 'curl', language: 'sh', text: curl! },
        { title: 'JavaScript', language: 'js', text: javascriptText(request) },
        { title: 'Python', language: 'python', text: pythonText(request) },
      ]
    : []
  const samples = [...given, ...made.filter(({ title }) => !titles.has(title.toLowerCase()))]

  return {
    text: samples.length === 0 ? '' : codeTabs(samples),
    curl: titles.has('curl') ? undefined : curl,
  }
}

/** Returns texts as blocks of code in tabs. */
export function codeTabs(samples: readonly Sample[]): string {
  const tabs = samples.map(
    ({ title, language, text }, at) =>
      `{% tab title="${plainTitle(title) || at + 1}" %}\n${fence(text, language)}\n{% endtab %}`,
  )
  return `{% tabs %}\n${tabs.join('\n\n')}\n{% endtabs %}`
}

/** Returns a title without what has a meaning in a tag. */
const plainTitle = (title: string): string => title.replace(/[^\p{L}\p{N} .,+#/()-]/gu, '').trim()

function givenSamples(operation: unknown): Sample[] {
  const written = ownIn(operation, 'x-codeSamples') ?? ownIn(operation, 'x-code-samples')
  return listIn(written)
    .filter(isObject)
    .slice(0, mostGiven)
    .flatMap(sample => {
      const language = textIn(sample, 'lang', 30)
      const title = plainTitle(textIn(sample, 'label', 50) || language)
      const text = textIn(sample, 'source', longestGiven)
      const isPlain = /^[\w+#.-]+$/.test(language)
      return title === '' || text === ''
        ? []
        : [{ title, text, language: isPlain ? language.toLowerCase() : '' }]
    })
}

/** Returns a request as a command line of curl. */
function curlText({ method, address, headers, user, body }: SampleRequest): string {
  return [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${quoted(address)}`,
    ...(user ? [`-u ${quoted(user.join(':'))}`] : []),
    ...headers.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body ? [`--data-raw ${quoted(body.text)}`] : []),
  ].join(' \\\n  ')
}

/**
 * Returns a text as one word of a POSIX shell. Line breaks in addresses and headers would start
 * others.
 */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''").replaceAll('\r', '')}'`

/** Returns a request as a program in JavaScript. */
function javascriptText({ method, address, headers, user, body }: SampleRequest): string {
  const all = headers.map(([name, value]) => `${keyOf(name)}: ${JSON.stringify(value)},`)
  if (user) all.push(`Authorization: \`Basic \${btoa(${JSON.stringify(user.join(':'))})}\`,`)
  const json = jsonOf(body)
  const options = [
    ...(method === 'GET' ? [] : [`method: ${JSON.stringify(method)},`]),
    ...(all.length === 0 ? [] : [`headers: {\n${indented(all.join('\n'))}\n},`]),
    ...(json === undefined ? [] : [`body: JSON.stringify(${literal(json, javascript)}),`]),
    ...(body && json === undefined ? [`body: ${JSON.stringify(body.text)},`] : []),
  ]
  const given = options.length === 0 ? '' : `, {\n${indented(options.join('\n'))}\n}`

  return `const response = await fetch(${JSON.stringify(address)}${given})
if (!response.ok) throw new Error(await response.text())
console.log(await response.text())`
}

/** Returns a request as a program in Python, with the package "requests". */
function pythonText({ method, address, headers, user, body }: SampleRequest): string {
  const json = jsonOf(body)
  const shown = headers.filter(([name]) => json === undefined || name !== 'Content-Type')
  const known = /^(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)$/.test(method)
  const parts = [
    ...(known ? [] : [`${JSON.stringify(method)},`]),
    `${JSON.stringify(address)},`,
    ...(shown.length === 0
      ? []
      : [
          `headers={\n${indented(shown.map(pair => `${pair.map(text => JSON.stringify(text)).join(': ')},`).join('\n'), 4)}\n},`,
        ]),
    ...(user ? [`auth=(${user.map(text => JSON.stringify(text)).join(', ')}),`] : []),
    ...(json === undefined ? [] : [`json=${literal(json, python)},`]),
    ...(body && json === undefined ? [`data=${JSON.stringify(body.text)}.encode(),`] : []),
  ]

  return `import requests

response = requests.${known ? method.toLowerCase() : 'request'}(
${indented(parts.join('\n'), 4)}
)
response.raise_for_status()
print(response.text)`
}

const keyOf = (name: string): string => (/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name))

const indented = (text: string, by = 2): string =>
  text.replace(/(^|\n)(?=[^\n])/g, `$1${' '.repeat(by)}`)

/** Returns the value of a body of JSON; undefined for another one. */
function jsonOf(body: SampleRequest['body']): unknown {
  if (!body || !/[/+]json\b/i.test(body.type)) return undefined
  try {
    return JSON.parse(body.text) as unknown
  } catch {
    return undefined
  }
}

/** How a language writes values. */
type Language = {
  indent: number
  words: readonly [yes: string, no: string, none: string]
  key: (name: string) => string
}

const javascript: Language = { indent: 2, words: ['true', 'false', 'null'], key: keyOf }
const python: Language = { indent: 4, words: ['True', 'False', 'None'], key: JSON.stringify }

/** Returns a value as a program writes it. The text of a sample bounds its size. */
function literal(value: unknown, language: Language): string {
  const [yes, no, none] = language.words
  if (value === null) return none
  if (typeof value === 'boolean') return value ? yes : no
  if (typeof value !== 'object') return JSON.stringify(value)
  const isList = Array.isArray(value)
  const parts = isList
    ? value.map(each => literal(each, language))
    : Object.entries(value as object).map(
        ([name, each]) => `${language.key(name)}: ${literal(each, language)}`,
      )
  const [open, close] = isList ? ['[', ']'] : ['{', '}']
  if (parts.length === 0) return open + close
  return `${open}\n${indented(parts.map(part => `${part},`).join('\n'), language.indent)}\n${close}`
}
