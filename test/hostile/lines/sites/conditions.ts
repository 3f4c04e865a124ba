import { type Line, line, must, type Seen } from '../../line.ts'
import type { Stage } from '../../stage.ts'
import {
  addSection,
  done,
  inSeconds,
  jwt,
  makeSite,
  makeSpace,
  readingToken,
  refuse,
  resolve,
  type Site,
  withToken,
} from './tools.ts'

async function withSection(stage: Stage): Promise<{ site: Site; section: string }> {
  const site = await makeSite(stage, { adaptiveContent: { enabled: true } })
  return { site, section: await addSection(stage, site, 1, 'Conditional') }
}

const maps = (depth: number): string =>
  depth === 0 ? '1' : `[1,2,3].map(x${depth} => ${maps(depth - 1)})`

/** Conditions that are refused, or that are stored and never met. */
async function dangerous(stage: Stage): Promise<Seen> {
  const { site, section } = await withSection(stage)
  const patch = (condition: string) =>
    stage.call('PATCH', `${site.path}/sections/${section}`, { body: { condition } })
  const wrong: string[] = []

  for (const condition of [
    maps(8),
    '"x".repeat(1e9)',
    '"x".repeat(1e9).length > 0',
    '/(a+)+$/.test("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!")',
    'constructor.constructor("return process")()',
    '"".constructor.constructor("return 1")()',
    'visitor.constructor.constructor("return 1")()',
    'visitor.__proto__',
    'visitor.claims.__proto__.toString',
    'while(1){}',
    '(() => { for(;;); })()',
    `${'('.repeat(500)}1${')'.repeat(500)}`,
    `${'!'.repeat(1_000)}visitor.claims.x`.slice(0, 1_000),
    'new Function("return 1")()',
    'import("fs")',
    '[..."x".repeat(1e7)]',
    'Array(1e9).fill(1)',
    'visitor.claims.x.y.z',
  ]) {
    const seen = await patch(condition)
    if (seen.status === 400) continue
    if (seen.status !== 200)
      wrong.push(`${condition.slice(0, 60)}: ${seen.status} ${seen.text.slice(0, 100)}`)

    const token = await readingToken(stage, site.base)
    const { status, text } = await withToken(stage, token, `GET ${site.path}/structure`)
    const shown = text.includes('Conditional')
    if (status !== 200 || (shown && !/^!|^\(|^\[1,2,3\]/.test(condition)))
      wrong.push(`${condition.slice(0, 60)} is met: ${status}`)
  }

  must(wrong.length === 0, wrong.join('\n'))
  await done(stage, `PATCH ${site.path}/sections/${section}`, { condition: null })
  const refused = ['x'.repeat(1_025), 'a\u0000b', '"\ud800"', 'visitor.', '1 +', '`', '{{']

  return refuse(
    stage,
    site,
    [400],
    refused.map(condition => ({ request: `PATCH /sections/${section}`, body: { condition } })),
  )
}

async function unknownNames(stage: Stage): Promise<Seen> {
  const { site, section } = await withSection(stage)
  const conditions = [
    'site.id',
    'process',
    'process.env.SECRET',
    'globalThis',
    'visitor.claims = 1',
    'visitor.claims.x++',
    'space.vars.x',
    'space.id',
    'delete visitor.claims',
    'visitor => 1; process',
  ]

  await refuse(
    stage,
    site,
    [400],
    ['space.id', 'page.title', 'process'].map(condition => ({
      request: `PATCH /site-spaces/${site.siteSpace}`,
      body: { condition },
    })),
  )

  return refuse(
    stage,
    site,
    [400],
    conditions.map(condition => ({ request: `PATCH /sections/${section}`, body: { condition } })),
  )
}

const closed = (properties: object, more: object = {}) => ({
  type: 'object',
  properties,
  additionalProperties: false,
  ...more,
})
const text = { type: 'string', description: 'Text' }
const deep = (levels: number): object =>
  levels === 0 ? text : { ...closed({ a: deep(levels - 1) }), description: 'Level' }

async function schemas(stage: Stage): Promise<Seen> {
  const site = await makeSite(stage)
  const unusable: unknown[] = [
    closed({ a: { $ref: '#/properties/a' } }),
    closed({ a: { ...text, pattern: '(a+)+$' } }),
    closed({ a: { allOf: [text] } }),
    closed({ a: text }, { additionalProperties: true }),
    { type: 'object', properties: { a: text } },
    closed({ a: { type: 'string' } }),
    closed({ a: { ...text, enum: [] } }),
    closed({ a: { ...text, enum: ['x', 'x'] } }),
    closed({ a: { ...text, enum: Array.from({ length: 101 }, (_, n) => `x${n}`) } }),
    closed(JSON.parse('{"__proto__":{"type":"string","description":"x"}}')),
    closed({ constructor: text }),
    closed({ 'a.b': text }),
    closed({ a: deep(6) }),
    closed({ a: text }, { $schema: 'https://json-schema.org/draft/2020-12/schema' }),
    closed({ a: text }, { $schema: 'https://evil.example/schema' }),
    closed({ unsigned: { type: 'boolean', description: 'x' } }),
    closed({ a: { ...text, description: 'x'.repeat(501) } }),
    closed(Object.fromEntries(Array.from({ length: 201 }, (_, n) => [`p${n}`, text]))),
    closed({ a: text }, { extra: 1 }),
    [],
    null,
    'x',
  ]
  const put = (jsonSchema: unknown) => ({ request: 'PUT /adaptive-schema', body: { jsonSchema } })
  const seen = await refuse(stage, site, [400], unusable.map(put))

  await refuse(
    stage,
    site,
    [400, 413],
    [put(closed({ a: { ...text, description: 'x'.repeat(10_000_000) } }))],
  )
  const stored = await stage.call('GET', `${site.path}/adaptive-schema`)

  must(stored.status === 404, `a schema was stored: ${stored.text.slice(0, 200)}`)

  return seen
}

/** Claims end at once when adaptive content is switched off, or the schema no longer names them. */
const narrowed =
  (narrow: (stage: Stage, site: Site) => Promise<unknown>) => async (stage: Stage) => {
    const { site, section } = await withSection(stage)
    await done(stage, `PUT ${site.path}/adaptive-schema`, { jsonSchema: closed({ plan: text }) })
    await done(stage, `PATCH ${site.path}/sections/${section}`, {
      condition: 'visitor.claims.plan === "pro"',
    })
    const { privateKey } = await done(stage, `GET ${site.path}/publishing/auth`)
    const jwtToken = jwt({ alg: 'HS256' }, { exp: inSeconds(600), plan: 'pro' }, privateKey)
    const token = await readingToken(stage, site.base, { jwtToken })
    const read = () => withToken(stage, token, `GET ${site.path}/structure`)

    must((await read()).text.includes('Conditional'), 'the section is not shown')
    await narrow(stage, site)
    const seen = await read()

    must(!seen.text.includes('Conditional'), 'the section is still shown')

    return seen
  }

/** Words of a hidden block, page and section are found by no operation. */
async function hiddenWords(stage: Stage): Promise<Seen> {
  const space = await makeSpace(stage, 'With secrets')
  const staff = 'visitor.claims.staff'
  const pages: [slug: string, markdown: string][] = [
    [
      'mixed',
      `# Mixed\n\nOpen words.\n\n{% if ${staff} %}\nThe word is xyzzyblock.\n{% endif %}\n`,
    ],
    ['secret', `---\nif: ${staff}\n---\n# Xyzzytitle\n\nThe word is xyzzypage.\n`],
  ]

  for (const [slug, markdown] of pages)
    await done(stage, `POST /v1/spaces/${space}/content`, {
      changes: [
        {
          operation: 'insert_page',
          title: slug === 'secret' ? 'Xyzzytitle' : slug,
          slug,
          document: { markdown },
        },
      ],
    })

  const site = await makeSite(stage, { adaptiveContent: { enabled: true } }, space)
  const jsonSchema = closed({ staff: { type: 'boolean', description: 'Staff' } })

  await done(stage, `PUT ${site.path}/adaptive-schema`, { jsonSchema })
  const { privateKey } = await done(stage, `GET ${site.path}/publishing/auth`)
  const jwtToken = jwt({ alg: 'HS256' }, { exp: inSeconds(600), staff: true }, privateKey)
  const path = `/v1/spaces/${space}`
  const read = (token: string, request: string, body?: unknown) =>
    withToken(stage, token, request, body)
  const allOf = async (token: string) => {
    const found: string[] = []
    for (const word of ['xyzzyblock', 'xyzzypage', 'Xyzzytitle']) {
      found.push((await read(token, `GET ${path}/search?query=${word}`)).text)
      found.push(
        (await read(token, `POST ${site.path}/search`, { query: word, scope: { mode: 'all' } }))
          .text,
      )
    }

    for (const part of [
      '/content',
      '/content/pages',
      '/content/path/mixed',
      '/content/path/secret',
    ])
      for (const query of ['', '?format=markdown', '?evaluated=false', '?metadata=true'])
        found.push((await read(token, `GET ${path}${part}${query}`)).text)

    for (const part of ['structure', 'published', 'site-spaces'])
      found.push((await read(token, `GET ${site.path}/${part}`)).text)
    found.push((await read(token, `GET ${path}/pdf`)).text)

    // Refusals repeat the query.
    return found.join('\n').replace(/"query":"\w+"/g, '')
  }
  const shown = await allOf(await readingToken(stage, site.base, { jwtToken }))

  must(/The word is xyzzyblock/.test(shown), 'staff do not read the block')
  must(/The word is xyzzypage/.test(shown), 'staff do not read the page')
  const token = await readingToken(stage, site.base)
  const hidden = await allOf(token)
  const leak = /.{0,100}(?:xyzzy|visitor\.claims).{0,100}/i.exec(hidden)

  must(!leak, `a reader reads ${leak?.[0]}`)

  return read(token, `GET ${path}/search?query=xyzzyblock`)
}

async function customization(stage: Stage): Promise<Seen> {
  const site = await makeSite(stage)
  const now = await done(stage, `GET ${site.path}/customization`)
  const put = (set: object) => ({ request: 'PUT /customization', body: { ...now, ...set } })
  const url = (value: string) => ({ light: value, dark: value })
  const link = (to: object, title = 'Link') => ({ title, style: 'link', to, links: [] })
  const header = (set: object) => put({ header: { ...now.header, ...set } })
  const styling = (set: object) => put({ styling: { ...now.styling, ...set } })
  const footer = await stage.call('PUT', `${site.path}/customization`, {
    body: { ...now, footer: { ...now.footer, copyright: '<script>alert(1)</script>' } },
  })

  must(footer.status === 200 || footer.status === 400, `markup in the footer: ${footer.status}`)
  const font = (source: string) => ({
    id: 'f',
    custom: true,
    fontFamily: 'F',
    fontFaces: [{ weight: 400, sources: [{ url: source }] }],
  })

  return refuse(
    stage,
    site,
    [400, 413],
    [
      header({ logo: url('javascript:alert(1)') }),
      header({ logo: url('data:image/svg+xml,<svg/>') }),
      header({ links: [link({ kind: 'url', url: 'javascript:alert(1)' })] }),
      header({
        links: Array.from({ length: 300 }, () => link({ kind: 'url', url: 'https://example.org' })),
      }),
      header({
        links: [{ ...link({ kind: 'url', url: 'https://example.org' }), condition: 'process.env' }],
      }),
      put({ favicon: { icon: url('javascript:alert(1)') } }),
      put({ favicon: { emoji: '<script>' } }),
      styling({ primaryColor: { light: 'red;}', dark: '#000' } }),
      styling({ primaryColor: { light: '#0000000', dark: '#000' } }),
      styling({ font: font('javascript:alert(1)') }),
      styling({ font: font('http://example.org/a.woff2') }),
      styling({ font: '__proto__' }),
      put({ privacyPolicy: { url: 'javascript:alert(1)' } }),
      put({ socialPreview: { url: 'https://user:pass@example.org/a.png' } }),
      put({ extra: 1 }),
      put(JSON.parse('{"__proto__x":{"admin":true}}')),
      { request: 'PUT /customization', body: '{"__proto__":{"admin":true}}' },
      put({ title: 'x'.repeat(1_000_000) }),
      { request: 'PUT /customization', body: {} },
      { request: 'PUT /customization', body: [] },
    ],
  )
}

async function overrides(stage: Stage): Promise<Seen> {
  const site = await makeSite(stage)
  const patch = (body: unknown) => ({
    request: `PATCH /site-spaces/${site.siteSpace}/customization`,
    body,
  })
  const before = await stage.call('GET', `${site.path}/site-spaces/${site.siteSpace}/customization`)
  const seen = await refuse(
    stage,
    site,
    [400],
    [
      patch({ styling: null }),
      patch({ header: null }),
      patch({ unknown: null }),
      patch({ header: { links: { 0: null } } }),
      patch({ header: { 'links.0': null } }),
      patch({ styling: { font: 'Inter' } }),
      patch({ styling: [] }),
      patch('{"__proto__":{"title":"x"},"title":5}'),
      patch([]),
      patch(null),
    ],
  )
  const after = await stage.call('GET', `${site.path}/site-spaces/${site.siteSpace}/customization`)

  must(after.text === before.text, 'the override has changed')

  return seen
}

async function agent(stage: Stage): Promise<Seen> {
  const site = await makeSite(stage, { agentsContext: 'excluded' })
  must((await resolve(stage, site.base)).status === 200, 'people do not read the site')
  return resolve(stage, site.base, { visitor: { type: 'agent' } })
}

/** Conditions, adaptive schemas, hidden content, and settings of how a site looks. */
export const siteConditionLines: Line[] = [
  line(
    'SA1',
    'conditions that take long, reach outside, or are no expressions',
    400,
    /./,
    dangerous,
  ),
  line('SA3', 'conditions with unknown names and assignments', 400, /./, unknownNames),
  line('SA4', 'unusable adaptive schemas', 400, /./, schemas),
  line(
    'SA5',
    'a reading token after adaptive content was switched off',
    '200|401',
    'shows nothing by its claims',
    narrowed((stage, { path }) =>
      done(stage, `PATCH ${path}`, { adaptiveContent: { enabled: false } }),
    ),
  ),
  line(
    'SA5',
    'a reading token after its claim left the schema',
    200,
    'shows nothing by its claims',
    narrowed((stage, { path }) =>
      done(stage, `PUT ${path}/adaptive-schema`, { jsonSchema: closed({ other: text }) }),
    ),
  ),
  line(
    'SA6',
    'words of a hidden block and of a hidden page',
    200,
    'are found and shown nowhere',
    hiddenWords,
  ),
  line(
    'SA7',
    'customization with scripts, foreign keys and too much of everything',
    '400|413',
    /./,
    customization,
  ),
  line(
    'SA8',
    'overrides of groups, of unknown settings and of items of lists',
    400,
    /./,
    overrides,
  ),
  line('P17', 'an agent on a site that excludes agents', 404, 'as for no site', agent),
]
