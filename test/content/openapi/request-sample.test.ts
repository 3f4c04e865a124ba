import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { describeSpec, operationKey } from '../../../src/content/openapi/describe.ts'
import { runs } from '../../support/long-run.ts'

const servers = [
  { url: 'https://{region}.example.org/v1/', variables: { region: { default: 'eu' } } },
]

/** Returns the sample in the description of the only operation of a spec. */
function sampleOf(document: object, method = 'get', path = '/pets/{id}'): string | undefined {
  const { pieces } = describeSpec({
    openapi: '3.1.0',
    info: { title: 'Pets', version: '1' },
    ...document,
  })
  const piece = pieces.get(operationKey(method, path))
  return /### Example request\n\n(`{3,})sh\n([\s\S]*?)\n\1\n/.exec(piece ?? '')?.[2]
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
    }),
    { numRuns: runs(40) },
  )
})

test.run()
