import { createContext, runInContext } from 'node:vm'
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import {
  type Configuration,
  configurationProblem,
  isIncomplete,
  keepSecrets,
  maskSecrets,
} from '../../src/integrations/configuration.ts'
import { bytesOfBase64, imageOf } from '../../src/integrations/image.ts'
import { publishedScript } from '../../src/integrations/published-script.ts'
import {
  checkPolicy,
  policyDirectives,
  publishedPolicy,
} from '../../src/integrations/security-policy.ts'
import { anyText } from '../support/corpus/any-text.ts'

const policy = (input: Parameters<typeof checkPolicy>[0], injects = true) => {
  const checked = checkPolicy(input, { injects })
  return 'policy' in checked ? checked.policy : undefined
}

test('a policy is normalised from text and from an object', () => {
  const table: [Parameters<typeof checkPolicy>[0], string | undefined][] = [
    ["default-src 'none';  img-src   https: ;", "default-src 'none'; img-src https:"],
    ["IMG-SRC 'self'", "img-src 'self'"],
    [{ 'script-src': "'self'\n  https://a.example;\n" }, "script-src 'self' https://a.example"],
    [{ 'upgrade-insecure-requests': '' }, 'upgrade-insecure-requests'],
    ['', ''],
    ["img-src 'self'\nfont-src a", undefined],
    [{ 'img-src': "'self'; script-src *" }, undefined],
    ["img-src 'self', script-src *", undefined],
    [{ 'img-src': 'https://ä.example' }, undefined],
    ['other-src a', undefined],
    ['img-src a; img-src b', undefined],
    ['script-src *', undefined],
    ["script-src 'UNSAFE-EVAL'", undefined],
    ['script-src-elem data:', undefined],
    ['default-src *', undefined],
    ['__proto__ x', undefined],
  ]

  for (const [input, expected] of table) assert.is(policy(input), expected, JSON.stringify(input))
  assert.is(policy('script-src *', false), 'script-src *')
})

test('an integration that injects scripts names the sources of scripts', () => {
  const refused = [
    ...[
      'https:',
      'http:',
      'data:',
      'blob:',
      'filesystem:',
      'HTTPS:',
      'ws:',
      'https://',
      'other-scheme:',
    ],
    ...[
      '*',
      '*:*',
      '*:443',
      'https://*',
      'https://*:443',
      'http://*/',
      '*/x',
      'https://*:*',
      '*.',
      '*.*',
    ],
    ...[
      '*.com',
      'https://*.com',
      '*.com:*',
      '*.com/x',
      '*.com.',
      'a.*',
      '*.*.com',
      '**.example.com',
    ],
    ...['*.co.uk', 'https://*.com.au', '*.AC.jp', '*.gov.br:443/x'],
    ...[
      "'unsafe-inline'",
      "'unsafe-eval'",
      "'unsafe-hashes'",
      "'UNSAFE-INLINE'",
      "'unsafe-new'",
      "'",
    ],
  ]

  const admitted = [
    ...["'self'", "'none'", "'strict-dynamic'", "'nonce-YWJj'", "'sha256-YWJj'", 'a.example'],
    ...[
      'https://a.example/x.js',
      'https://a.example:*',
      '*.a.example',
      'https://*.a.example:443/x',
      'localhost:1',
      '*.a.co.uk',
      '*.co.example',
    ],
  ]

  for (const name of [
    'script-src',
    'default-src',
    'script-src-elem',
    'script-src-attr',
    'worker-src',
  ]) {
    for (const source of refused) {
      for (const value of [source, `'self' ${source}`, `${source} a.example`])
        assert.is(policy(`${name} ${value}`), undefined, `${name} ${value}`)
      assert.is(
        policy({ [name]: `'self'\t${source}` }),
        undefined,
        `${name} with a tab and ${source}`,
      )
      assert.is(policy(`${name} ${source}`, false), `${name} ${source}`)
    }
    for (const source of admitted) assert.is(policy(`${name} ${source}`), `${name} ${source}`)
  }

  assert.is(policy('img-src https: data:'), 'img-src https: data:')
})

test('a normalised policy stays the same, and its published part has no directive that reports or weakens', () => {
  const source = fc.constantFrom("'self'", "'none'", 'https:', 'https://a.example', 'blob:', '*')
  const object = fc.dictionary(
    fc.constantFrom(...policyDirectives),
    fc.array(source, { maxLength: 3 }).map(each => each.join(' ')),
  )

  fc.assert(
    fc.property(object, fc.boolean(), (given, injects) => {
      const normal = policy(given, injects)
      if (normal === undefined) return
      assert.is(policy(normal, injects), normal)
      const published = publishedPolicy(normal)

      assert.not.match(
        published,
        /(?:^|; )(?:report|referrer|plugin|object-src|base-uri|frame-anc|sandbox)/,
      )
      for (const directive of published.split('; ').filter(Boolean))
        assert.ok(normal.split('; ').includes(directive))
    }),
  )
})

const rules = {
  properties: {
    region: { type: 'string' as const, enum: ['eu', 'us'] },
    api_key: { type: 'string' as const },
    limit: { type: 'number' as const },
    on: { type: 'boolean' as const, default: true },
    go: { type: 'button' as const },
  },
  required: ['region', 'on', 'go'],
}

test('a configuration follows its rules', () => {
  const table: [Configuration, boolean][] = [
    [{}, true],
    [{ region: 'eu', limit: 0, on: false }, true],
    [{ region: 'asia' }, false],
    [{ limit: '1' }, false],
    [{ on: 'true' }, false],
    [{ go: 'x' }, false],
    [{ toString: 'x' }, false],
    [JSON.parse('{"__proto__": "x"}'), false],
    [{ api_key: 'x'.repeat(70_000) }, false],
  ]

  for (const [given, fine] of table)
    assert.is(
      configurationProblem(rules, given) === undefined,
      fine,
      JSON.stringify(given).slice(0, 80),
    )

  assert.is(configurationProblem(undefined, {}), undefined)
  assert.type(configurationProblem(undefined, { a: 1 }), 'string')
  assert.is(configurationProblem({ componentId: 'c' }, { any: { thing: [1] } }), undefined)
  const deep = JSON.parse(`${'['.repeat(30)}${']'.repeat(30)}`)

  assert.type(configurationProblem({ componentId: 'c' }, { deep }), 'string')
  assert.equal([isIncomplete(rules, {}), isIncomplete(rules, { region: 'eu' })], [true, false])
})

const names = fc.constantFrom('a', 'b', 'apiKey', 'Secret', 'refresh_token', 'password')
const { tree } = fc.letrec(tie => ({
  tree: fc.dictionary(
    names,
    fc.oneof(
      { maxDepth: 3 },
      fc.string(),
      fc.integer(),
      fc.boolean(),
      fc.array(tie('tree')),
      tie('tree'),
    ),
    { noNullPrototype: true },
  ),
}))

test('masked configurations have no secrets, and come back with the former ones', () => {
  fc.assert(
    fc.property(tree, given => {
      const whole = JSON.parse(JSON.stringify(given)) as Configuration
      const masked = maskSecrets(whole)
      assert.equal(keepSecrets(masked, whole), whole)
      const walk = (value: unknown, secret: boolean): void => {
        if (typeof value === 'string') assert.ok(!secret || value === '')
        else if (typeof value === 'object' && value !== null)
          for (const [name, each] of Object.entries(value))
            walk(each, secret || /secret|token|key|password/i.test(name))
      }

      walk(masked, false)
    }),
  )
})

test('a published script evaluates to the configuration, and contains no sign that ends a script', () => {
  const text = fc.oneof(
    anyText(),
    fc.constantFrom(
      '</script>',
      '<!--',
      ']]>',
      '\u2028',
      '\u2029',
      '&lt;',
      '__CONFIGURATION__',
      '$&',
      "$'",
    ),
  )
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom('a', 'b', 'c'), text), given => {
      const configuration = { ...given }
      const script = publishedScript('out = __CONFIGURATION__', configuration)
      assert.not.match(script, /[<>&\u2028\u2029]/)
      const context = createContext({ out: undefined })

      runInContext(script, context)
      assert.equal(
        JSON.parse(JSON.stringify(context.out)),
        JSON.parse(JSON.stringify(configuration)),
      )
    }),
  )
})

test('images are told by their bytes, and base64 has nothing else in it', () => {
  const heads: [string, string | undefined][] = [
    ['\x89PNG\r\n\x1a\n', 'image/png'],
    ['GIF89a', 'image/gif'],
    ['\xff\xd8\xff\xe0', 'image/jpeg'],
    ['RIFF\0\0\0\0WEBP', 'image/webp'],
    ['<svg xmlns="">', undefined],
    ['', undefined],
  ]

  for (const [head, type] of heads) assert.is(imageOf(Buffer.from(head, 'latin1'))?.type, type)
  for (const text of ['QQ', 'QQ==\n', 'Q Q=', 'QQ=A', '-_=='])
    assert.is(bytesOfBase64(text), undefined, text)
  fc.assert(
    fc.property(fc.uint8Array(), bytes => {
      const text = Buffer.from(bytes).toString('base64')
      assert.equal(bytesOfBase64(text), Buffer.from(bytes))
    }),
  )
})

test.run()
