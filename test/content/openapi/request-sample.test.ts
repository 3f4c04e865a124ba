import { execFileSync, spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { describeSpec, operationKey } from '../../../src/content/openapi/describe.ts'
import { runs } from '../../support/long-run.ts'
import { skip } from '../../support/skip.ts'

const servers = [
  { url: 'https://{region}.example.org/v1/', variables: { region: { default: 'eu' } } },
]

/** Returns the samples in the description of the only operation of a spec, by their titles. */
function samplesOf(document: object, method = 'get', path = '/pets/{id}'): Map<string, string> {
  const { pieces } = describeSpec({
    openapi: '3.1.0',
    info: { title: 'Pets', version: '1' },
    ...document,
  })
  const piece = pieces.get(operationKey(method, path))
  const found = (piece ?? '').matchAll(
    /^{% tab title="([^"]*)" %}\n(`{3,})[\w+#.-]*\n([\s\S]*?)\n\2\n{% endtab %}$/gm,
  )
  return new Map([...found].map(([, title, , text]) => [title!, text!]))
}

/** Returns the sample of curl in the description of the only operation of a spec. */
const sampleOf = (document: object, method?: string): string | undefined =>
  samplesOf(document, method).get('curl')

type Sent = { url: string; method: string; headers: Record<string, string>; body?: string }

/** Returns the request that a program in JavaScript sends. */
async function sentBy(program: string): Promise<Sent> {
  let sent: Sent | undefined
  const fetch = async (url: string, options: Partial<Sent> = {}) => {
    sent = { method: 'GET', headers: {}, ...options, url }
    return { ok: true, text: async () => '' }
  }
  await new Function('fetch', 'console', `return (async () => {${program}\n})()`)(fetch, {
    log: () => {},
  })
  return sent!
}

/**
 * Runs a program in Python with a package "requests" that tells what it was called with. Returns
 * undefined where there is no Python.
 */
function calledBy(program: string): unknown {
  const fake = `
import sys, json, types
class Requests(types.ModuleType):
  def __getattr__(self, method):
    def call(*args, **named):
      json.dump([method, args, {name: value.decode() if isinstance(value, bytes) else value for name, value in named.items()}], sys.stderr)
      return types.SimpleNamespace(raise_for_status=lambda: None, text="")
    return call
sys.modules["requests"] = Requests("requests")
exec(compile(sys.stdin.read(), "sample", "exec"))`
  const { error, stderr, status } = spawnSync('python3', ['-c', fake], { input: program })
  if (error) return undefined
  assert.is(status, 0, `${stderr}\n${program}`)
  return JSON.parse(stderr.toString())
}

/** Returns the words that a shell hands to curl. */
const wordsOf = (sample: string): string[] =>
  execFileSync('sh', ['-c', `curl() { for word; do printf '%s\\0' "$word"; done; }\n${sample}`])
    .toString()
    .split('\0')
    .slice(0, -1)

test('a sample has method, address with parameters, authorization and body', () => {
  const sample = sampleOf(
    {
      servers,
      security: [{ token: [], key: [] }],
      components: {
        securitySchemes: {
          token: { type: 'http', scheme: 'bearer' },
          key: { type: 'apiKey', in: 'query', name: 'key' },
        },
      },
      paths: {
        '/pets/{id}': {
          put: {
            parameters: [
              {
                name: 'id',
                in: 'path',
                required: true,
                schema: { type: 'string' },
                example: 'rex',
              },
              { name: 'mode', in: 'query', required: true, schema: { enum: ['fast', 'slow'] } },
              { name: 'unused', in: 'query', schema: { type: 'string' } },
              { name: 'X-Trace', in: 'header', required: true, schema: { type: 'string' } },
            ],
            requestBody: { content: { 'application/json': { example: { name: "Rex's bone" } } } },
          },
        },
      },
    },
    'put',
  )
  assert.equal(wordsOf(sample ?? ''), [
    ...['-X', 'PUT', 'https://eu.example.org/v1/pets/rex?mode=fast&key=<key>'],
    ...['-H', 'X-Trace: <X-Trace>', '-H', 'Authorization: Bearer <token>'],
    ...['-H', 'Content-Type: application/json', '--data-raw', '{\n  "name": "Rex\'s bone"\n}'],
  ])
})

test('a spec without the web address of a server has no samples', () => {
  const paths = { '/pets/{id}': { get: {} } }
  assert.is(sampleOf({ paths }), undefined)
  assert.is(sampleOf({ paths, servers: [{ url: '/v1' }] }), undefined)
})

const calls = {
  servers,
  security: [{ login: [] }],
  components: { securitySchemes: { login: { type: 'http', scheme: 'basic' } } },
  paths: {
    '/pets/{id}': {
      put: {
        parameters: [
          { name: 'id', in: 'path', required: true, example: 'rex' },
          { name: 'X-Trace', in: 'header', required: true, example: 'a"b\\c' },
        ],
        requestBody: {
          content: {
            'application/json': {
              example: { name: 'Rex\u2028"${x}"', 'a-b': [true, null, 1.5, []], more: {} },
            },
          },
        },
      },
      post: { requestBody: { content: { 'text/plain': { example: 'a\n"b"\\' } } } },
      get: { security: [] },
    },
  },
}

test('a sample in JavaScript sends what that of curl sends', async () => {
  assert.equal(await sentBy(samplesOf(calls, 'put').get('JavaScript')!), {
    url: 'https://eu.example.org/v1/pets/rex',
    method: 'PUT',
    headers: {
      'X-Trace': 'a"b\\c',
      'Content-Type': 'application/json',
      Authorization: `Basic ${btoa('<name>:<password>')}`,
    },
    body: JSON.stringify(
      calls.paths['/pets/{id}'].put.requestBody.content['application/json'].example,
    ),
  })
  assert.is((await sentBy(samplesOf(calls, 'post').get('JavaScript')!)).body, 'a\n"b"\\')
  assert.equal(await sentBy(samplesOf(calls, 'get').get('JavaScript')!), {
    url: 'https://eu.example.org/v1/pets/<id>',
    method: 'GET',
    headers: {},
  })
})

test('a sample in Python sends the same', () => {
  const put = calledBy(samplesOf(calls, 'put').get('Python')!)
  if (put === undefined) return skip('there is no python3')
  assert.equal(put, [
    'put',
    ['https://eu.example.org/v1/pets/rex'],
    {
      headers: { 'X-Trace': 'a"b\\c' },
      auth: ['<name>', '<password>'],
      json: calls.paths['/pets/{id}'].put.requestBody.content['application/json'].example,
    },
  ])
  assert.equal(calledBy(samplesOf(calls, 'post').get('Python')!), [
    'post',
    ['https://eu.example.org/v1/pets/<id>'],
    {
      headers: { 'Content-Type': 'text/plain' },
      auth: ['<name>', '<password>'],
      data: 'a\n"b"\\',
    },
  ])
})

test('samples that the spec gives come first, and take the place of others with their name', () => {
  const samples = samplesOf({
    servers,
    paths: {
      '/pets/{id}': {
        get: {
          'x-codeSamples': [
            { lang: 'Go', source: 'fmt.Println("```")\n{% endtab %}' },
            { lang: 'sh', label: 'Our "tool" %}', source: 'tool get' },
            { lang: 'python', label: 'Python', source: 'ours' },
            { lang: 'Ruby' },
            'none',
          ],
        },
      },
    },
  })
  assert.equal([...samples.keys()], ['Go', 'Our tool', 'Python', 'curl', 'JavaScript'])
  assert.is(samples.get('Go'), 'fmt.Println("```")\n{% endtab %}')
  assert.is(samples.get('Python'), 'ours')
})

test('no value of a spec leaves its word of the command line', () => {
  const hostile = fc.oneof(
    fc.string(),
    fc.constantFrom("';id;'", '$(id)', '`id`', '\\', "'\n-K /etc/passwd\n'", '```', '@/etc/passwd'),
  )
  fc.assert(
    fc.property(hostile, hostile, (example, name) => {
      const parameters = [
        { name: 'id', in: 'path', required: true, example },
        { name, in: 'header', required: true, example },
      ]
      const get = { parameters, requestBody: { content: { 'text/plain': { example } } } }
      const words = wordsOf(sampleOf({ servers, paths: { '/pets/{id}': { get } } }) ?? 'curl')
      assert.ok(words.length % 2 === 1, JSON.stringify(words))
      assert.match(words[0] ?? '', /^https:/)
      assert.ok(
        words.slice(1).every((word, at) => at % 2 === 1 || /^(?:-H|--data-raw)$/.test(word)),
      )
      const program = samplesOf({ servers, paths: { '/pets/{id}': { get } } }).get('JavaScript')
      assert.not.throws(() => new Function(`return async () => {${program}\n}`))
    }),
    { numRuns: runs(40) },
  )
})

test.run()
