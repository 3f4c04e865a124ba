import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type Call, callKey, serverOrigin } from '../../../src/content/openapi/call.ts'
import { describeSpec } from '../../../src/content/openapi/describe.ts'
import { runs } from '../../support/long-run.ts'

const servers = [{ url: 'https://api.example.org/v1/' }]

/** Returns the calls of a spec. */
function callsOf(document: object): Call[] {
  const { pieces } = describeSpec({
    openapi: '3.1.0',
    info: { title: 'Pets', version: '1' },
    ...document,
  })
  return [...pieces].filter(([key]) => key.startsWith('call ')).map(([, text]) => JSON.parse(text))
}

/** Returns the call of the only operation of a spec. */
const callOf = (
  operation: object,
  document: object = { servers },
  method = 'get',
): Call | undefined => callsOf({ ...document, paths: { '/pets/{id}': { [method]: operation } } })[0]

const parameters = (...list: object[]) => callOf({ parameters: list })?.fields

test('a call is found by its example request', () => {
  const { pieces } = describeSpec({ openapi: '3.1.0', servers, paths: { '/pets': { get: {} } } })
  const sample = /```sh\n([\s\S]*?)\n```/.exec(pieces.get('operation get /pets') ?? '')?.[1] ?? ''
  const call = JSON.parse(pieces.get(callKey(sample)) ?? '')
  assert.equal(
    [call.method, call.path, call.servers],
    ['GET', '/pets', ['https://api.example.org/v1']],
  )
})

test('parameters are fields, with the values that required ones begin with', () => {
  assert.equal(
    parameters(
      { name: 'id', in: 'path', required: true, schema: { type: 'string' }, example: 'rex' },
      { name: 'kind', in: 'query', required: true, schema: { enum: ['cat', 'dog'] } },
      { name: 'limit', in: 'query', schema: { type: 'integer', default: 20 }, example: 5 },
      { name: 'old', in: 'query', schema: { type: 'boolean' } },
      { name: 'X-Trace', in: 'header', schema: { type: 'string' } },
    ),
    [
      { name: 'id', in: 'path', required: true, value: 'rex' },
      { name: 'kind', in: 'query', required: true, value: 'cat', values: ['cat', 'dog'] },
      { name: 'limit', in: 'query', required: false, value: '' },
      { name: 'old', in: 'query', required: false, value: '', values: ['true', 'false'] },
      { name: 'X-Trace', in: 'header', required: false, value: '' },
    ],
  )
})

test('the values of a list are joined by the style of the parameter', () => {
  const list = { type: 'array', items: { type: 'string' } }
  const joints = parameters(
    { name: 'a', in: 'query', schema: list },
    { name: 'b', in: 'query', explode: false, schema: list },
    { name: 'c', in: 'query', style: 'pipeDelimited', schema: list },
    { name: 'd', in: 'query', style: 'spaceDelimited', schema: list },
    { name: 'e', in: 'path', style: 'matrix', schema: list },
    { name: 'f', in: 'path', style: 'label', schema: list },
    { name: 'g', in: 'query', style: 'deepObject', schema: { type: 'object' } },
  )

  assert.equal(
    joints?.map(({ joint = '', before = '' }) => [joint, before]),
    [
      ['&', ''],
      [',', ''],
      ['|', ''],
      [' ', ''],
      [',', ';e='],
      [',', '.'],
      ['', ''],
    ],
  )
})

test('cookies and headers that browsers do not let a page set are named, not offered', () => {
  const call = callOf(
    {
      security: [{ session: [] }],
      parameters: [
        { name: 'sid', in: 'cookie' },
        { name: 'Host', in: 'header' },
        { name: 'Sec-Secret', in: 'header' },
        { name: 'bad\r\nname', in: 'header' },
        { name: 'Content-Type', in: 'header' },
      ],
    },
    {
      servers,
      components: {
        securitySchemes: { session: { type: 'apiKey', in: 'cookie', name: 'session' } },
      },
    },
  )

  assert.equal(call?.fields, [])
  assert.equal(call?.left, ['sid', 'Host', 'Sec-Secret', 'bad\r\nname', 'session'])
})

test('each way of authorization has its credentials, and a call without any is one of them', () => {
  const securitySchemes = {
    token: { type: 'http', scheme: 'Bearer' },
    basic: { type: 'http', scheme: 'basic' },
    oauth: { type: 'oauth2', flows: {} },
    digest: { type: 'http', scheme: 'digest' },
    inHeader: { type: 'apiKey', in: 'header', name: 'X-Key' },
    inQuery: { type: 'apiKey', in: 'query', name: 'key' },
  }
  const security = [{ token: [] }, { basic: [], inQuery: [] }, { oauth: [] }, { digest: [] }, {}]
  assert.equal(callOf({ security }, { servers, components: { securitySchemes } })?.auth, [
    [{ kind: 'bearer', label: 'token' }],
    [
      { kind: 'basic', label: 'basic' },
      { kind: 'key', label: 'inQuery', in: 'query', name: 'key' },
    ],
    [{ kind: 'bearer', label: 'oauth' }],
    [{ kind: 'key', label: 'digest', in: 'header', name: 'Authorization' }],
    [],
  ])
  assert.equal(callOf({ security: [{}] }, { servers, components: { securitySchemes } })?.auth, [])
})

test('bodies are texts with their examples; files are named', () => {
  const content = {
    'application/json': { schema: { type: 'object', properties: { name: { example: 'Rex' } } } },
    'application/xml': { example: '<pet/>' },
    'multipart/form-data': { schema: { type: 'object' } },
    '*/*': {},
  }
  const call = callOf({ requestBody: { content } }, { servers }, 'put')
  assert.equal(call?.bodies, [
    { type: 'application/json', text: '{\n  "name": "Rex"\n}' },
    { type: 'application/xml', text: '<pet/>' },
  ])
  assert.is(call?.files, true)
  assert.equal(callOf({ requestBody: { content } })?.bodies, [])
})

test('the spec, a path and an operation can hide the panel', () => {
  const hidden = { 'x-hideTryItPanel': true }
  assert.is(callOf(hidden), undefined)
  assert.is(callOf({}, { servers, ...hidden }), undefined)
  assert.equal(callsOf({ servers, paths: { '/pets': { ...hidden, get: {} } } }), [])
  assert.is(callOf({ 'x-hideTryItPanel': false })?.method, 'GET')
})

test('methods that browsers refuse, and specs without web addresses, have no calls', () => {
  assert.is(callOf({}, { servers }, 'trace'), undefined)
  assert.is(callOf({}, {}), undefined)
  assert.is(callOf({}, { servers: [{ url: '/v1' }] }), undefined)
})

test('servers are those with one origin that a policy can name', () => {
  const urls = [
    'https://api.example.org:8443/v1/?a=1#b',
    'http://localhost:4000',
    'https://{region}.example.org',
    'https://user:secret@example.org',
    'javascript:alert(1)',
    'data:text/html,x',
    "https://example.org';script-src *",
    'https://a;script-src.example.org',
    'https://a,b.example.org',
    'https://*.example.org',
    'https://*',
    'https://exa\nmple.org',
    'https://example.org/\r\nX: y',
    'https://[::1]/',
    'ws://example.org',
    '//example.org',
    'https://example.org\\evil.example',
    'https://example.org/<b>"',
  ]
  const call = callOf({}, { servers: urls.map(url => ({ url })) })
  assert.equal(call?.servers, [
    'https://api.example.org:8443/v1',
    'http://localhost:4000',
    'https://example.org/%3Cb%3E%22',
  ])
})

test('an origin never has a character with a meaning in a policy', () => {
  const host = fc.array(
    fc.constantFrom('a', '.', ';', ',', "'", '"', '*', ' ', '\n', '-', '@', ':', '1', 'é'),
    {
      maxLength: 12,
    },
  )
  fc.assert(
    fc.property(
      fc.constantFrom('https://', 'http://', 'javascript:', ''),
      host,
      (scheme, parts) => {
        const origin = serverOrigin(scheme + parts.join(''))
        assert.ok(origin === undefined || /^https?:\/\/[\w.-]+(?::\d+)?$/.test(origin), origin)
      },
    ),
    { numRuns: runs(300) },
  )
})

test('a call that is too long for a page is left out', () => {
  const values = Array.from({ length: 50 }, (_, at) => `${at}`.padEnd(100, 'x'))
  const many = Array.from({ length: 30 }, (_, at) => ({
    name: `p${at}`,
    in: 'query',
    schema: { enum: values },
  }))
  assert.is(callOf({ parameters: many }), undefined)
})

test.run()
