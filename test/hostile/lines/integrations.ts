import { beside } from '../beside.ts'
import { type Line, line, must, type Seen } from '../line.ts'
import type { Stage } from '../stage.ts'
import { done, makeSite, withToken } from './sites/tools.ts'

let made = 0
const newName = () => `hostile-${++made}`

const manifest = (more: object = {}) => ({
  organization: 'acme',
  title: 'Hostile',
  description: 'Tries.',
  scopes: [],
  script: 'the hidden script </script>',
  ...more,
})

const publish = (stage: Stage, name: string, more: object = {}, as = 'admin'): Promise<Seen> =>
  stage.call('POST', `/v1/integrations/${name}`, { as, body: manifest(more) })

/** Publishes a new integration and installs it on "acme"; returns the path of the installation. */
async function install(stage: Stage, more: object = {}): Promise<{ path: string; at: string }> {
  const path = `/v1/integrations/${newName()}`
  await done(stage, `POST ${path}`, manifest(more))
  const { id } = await done(stage, `POST ${path}/installations`, { organization: 'acme' })
  return { path, at: `${path}/installations/${id}` }
}

/** Publishes under a name; a refusal leaves no integration behind. */
const named =
  (name: string, more: object = {}, as = 'admin') =>
  (stage: Stage) =>
    publish(stage, name, more, as)

/** Publishes something impossible under a new name. */
const refused = (more: object) => async (stage: Stage) => {
  const name = newName()
  const seen = await publish(stage, name, more)
  must(
    (await stage.call('GET', `/v1/integrations/${name}`)).status === 404,
    'the integration is there',
  )
  return seen
}

async function taken(
  stage: Stage,
  change: (name: string) => string,
  more: object,
  as: string,
): Promise<Seen> {
  const name = newName()
  await done(stage, `POST /v1/integrations/${name}`, manifest())
  const read = () => stage.call('GET', `/v1/integrations/${name}`)
  const before = (await read()).text
  const seen = await publish(stage, change(name), more, as)
  must((await read()).text === before, 'the integration has changed')
  return seen
}

/** A PNG head that announces an image of 4 gigapixels. */
const bomb = Buffer.concat([
  Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'),
  Buffer.from('0000ffff0000ffff0806000000', 'hex'),
]).toString('base64')
const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="x()"/>').toString('base64')

const configurations = {
  account: {
    properties: { region: { type: 'string', enum: ['eu'] }, client_secret: { type: 'string' } },
  },
  site: { properties: { tag: { type: 'string' } } },
}

async function badConfiguration(stage: Stage, configuration: object): Promise<Seen> {
  const { at } = await install(stage, { configurations })
  const before = (await stage.call('GET', at)).text
  const seen = await stage.call('PATCH', at, { body: { configuration } })
  must((await stage.call('GET', at)).text === before, 'the configuration has changed')
  return seen
}

const scripted = {
  scopes: ['site:script:inject'],
  publishedScript: 'start(__CONFIGURATION__)',
  configurations: { site: configurations.site },
}

const atSites = () =>
  beside('integration scripts', { env: { STEMMA_SITES_URL: 'http://sites.example.test' } })

/** A configuration with ends of scripts goes into a published script, escaped. */
async function escaped(): Promise<Seen> {
  const stage = await atSites()
  const site = await makeSite(stage)
  const { at } = await install(stage, scripted)
  await done(stage, `POST ${at}/sites`, { siteId: site.id })
  const tag = '</script><script>alert(1)//\u2028\u2029<!--'

  await done(stage, `PATCH ${at}/sites/${site.id}`, { configuration: { tag } })
  const [{ script }] = await done(stage, `GET ${site.path}/integration-scripts`)
  const seen = await stage.call('GET', new URL(script).pathname, {
    as: 'nobody',
    headers: { host: 'sites.example.test' },
  })

  must(!/[<>\u2028\u2029]/.test(seen.text), `the script contains ${seen.text}`)

  return seen
}

async function foreignScript(): Promise<Seen> {
  const stage = await atSites()
  const site = await makeSite(stage)
  const path = `/v1/integrations/${newName()}`
  await done(
    stage,
    `POST ${path}`,
    manifest({ ...scripted, organization: 'globex', visibility: 'public' }),
    'stranger',
  )
  const { id } = await done(stage, `POST ${path}/installations`, { organization: 'acme' })
  const seen = await stage.call('POST', `${path}/installations/${id}/sites`, {
    body: { siteId: site.id },
  })
  const scripts = await done(stage, `GET ${site.path}/integration-scripts`)

  must(scripts.length === 0, 'the script is on the site')

  return seen
}

async function scriptsOnOrigin(stage: Stage): Promise<Seen> {
  const site = await makeSite(stage)
  const { at } = await install(stage, scripted)
  return stage.call('POST', `${at}/sites`, { body: { siteId: site.id } })
}

async function scriptsWithShareLinks(): Promise<Seen> {
  const stage = await atSites()
  const site = await makeSite(stage)
  const { at } = await install(stage, scripted)
  await done(stage, `POST ${at}/sites`, { siteId: site.id })
  const [{ script }] = await done(stage, `GET ${site.path}/integration-scripts`)

  await done(stage, `PATCH ${site.path}`, { visibility: 'share-link' })
  const profile = await done(stage, `GET ${site.path}/published`)

  must(profile.scripts.length === 0, 'the profile has scripts')

  return stage.call('GET', new URL(script).pathname, {
    as: 'nobody',
    headers: { host: 'sites.example.test' },
  })
}

/** Secrets, scripts and configurations appear in no answer, event or log. */
async function hidden(stage: Stage): Promise<Seen> {
  const marks = ['mark-of-script', 'mark-of-secret', 'mark-of-configuration']
  const { path, at } = await install(stage, {
    script: marks[0],
    secrets: { API: marks[1] },
    configurations,
    visibility: 'public',
  })

  await done(stage, `PATCH ${at}`, { configuration: { client_secret: marks[2] } })
  const { token: secret } = await done(stage, `POST ${path}/secret`)
  const { token } = await done(stage, `POST ${at}/tokens`)

  await withToken(stage, token, `GET ${at}`)
  const texts = [stage.log()]

  for (const read of [
    path,
    at,
    '/v1/integrations',
    '/v1/orgs/acme/installations',
    '/v1/orgs/acme/tokens',
  ])
    texts.push((await stage.call('GET', read)).text)

  const events = await stage.call('GET', '/v1/orgs/acme/audit-events?limit=100')

  texts.push(events.text)
  for (const mark of [...marks, secret, token])
    must(!texts.some(text => text.includes(mark)), `${mark.slice(0, 20)} is shown`)

  return events
}

/** Another organization's admin reads, changes and deletes nothing, and learns nothing. */
async function foreign(stage: Stage): Promise<Seen> {
  const site = await makeSite(stage)
  const { path, at } = await install(stage)
  await done(stage, `POST ${at}/sites`, { siteId: site.id })
  const name = path.slice(path.lastIndexOf('/') + 1)
  const nothing = newName()
  let last: Seen = { status: 'none', text: '' }
  const requests: [string, object?][] = [
    ['GET '],
    ['POST /secret'],
    ['POST /installations', { organization: 'globex' }],
    [`GET ${at.slice(path.length)}`],
    [`PATCH ${at.slice(path.length)}`, { externalIds: ['x'] }],
    [`POST ${at.slice(path.length)}/tokens`],
    [`GET ${at.slice(path.length)}/sites`],
    [`GET ${at.slice(path.length)}/sites/${site.id}`],
  ]

  for (const [request, body] of requests) {
    const [method = '', rest = ''] = request.split(' ')
    const ask = (at: string) =>
      stage.call(method, `/v1/integrations/${at}${rest}`, { as: 'stranger', body })
    last = await ask(name)
    const other = await ask(nothing)

    must(last.status === 404, `${request} was answered ${last.status}`)
    must(
      last.text.replaceAll(name, 'N') === other.text.replaceAll(nothing, 'N'),
      `${request} reveals it`,
    )
  }

  for (const deleted of [`${at}/sites/${site.id}`, at, path])
    must(
      (await stage.call('DELETE', deleted, { as: 'stranger' })).status === 204,
      `${deleted} is not 204`,
    )

  must((await stage.call('GET', `${at}/sites/${site.id}`)).status === 200, 'it was deleted')

  return last
}

/** A token with one scope that is bent towards everything else. */
async function beyondScopes(stage: Stage): Promise<Seen> {
  const site = await makeSite(stage)
  const { at } = await install(stage, { scopes: ['space:content:read'] })
  const { token } = await done(stage, `POST ${at}/tokens`)
  const read = `GET /v1/spaces/${site.space}/content`

  must((await withToken(stage, token, read)).status === 200, 'the token does not read')
  let last: Seen = { status: 'none', text: '' }

  for (const [request, body] of [
    ['GET /v1/user'],
    ['GET /v1/orgs'],
    ['POST /v1/user/tokens', { name: 'more' }],
    [`POST ${at}/tokens`],
    [`PATCH ${at}`, { space_selection: 'all' }],
    [`GET ${site.path}/share-links`],
    [`POST /v1/spaces/${site.space}/content`, { changes: [] }],
    [`DELETE /v1/spaces/${site.space}`],
  ] as [string, object?][]) {
    last = await withToken(stage, token, request, body)
    must(last.status === 403, `${request} was answered ${last.status}`)
  }

  await done(stage, `DELETE ${at}`)
  must((await withToken(stage, token, read)).status === 401, 'the token outlives the installation')

  return last
}

export const integrationLines: Line[] = [
  line('I1', 'the name of an integration in another case', 409, 'it stays as it was', stage =>
    taken(stage, name => name.toUpperCase(), {}, 'admin'),
  ),
  line(
    'I1',
    'the name of an integration of another organization',
    409,
    'it stays as it was',
    stage => taken(stage, name => name, { organization: 'globex' }, 'stranger'),
  ),
  line(
    'I1',
    'an integration of an organization of others',
    404,
    /organization/,
    named('stolen', {}, 'stranger'),
  ),
  line('I1', 'an integration named ".."', '400|404', /name|operation/, named('%2e%2e')),
  line('I1', 'an integration named "constructor"', 200, /"version":/, named('constructor')),
  line('I1', 'an integration with a name of 101 characters', 400, /100/, named('x'.repeat(101))),
  line('I2', 'a manifest of 40 MB', 413, /too large/, refused({ summary: 'x'.repeat(40_000_000) })),
  line('I2', 'an SVG image as icon', 400, /PNG/, refused({ icon: svg })),
  line('I2', 'an icon that announces 4 gigapixels', 200, /assets\/icon-/, stage =>
    publish(stage, newName(), { icon: bomb }),
  ),
  line(
    'I2',
    'base64 with blanks',
    400,
    /base64/,
    refused({ icon: `${bomb.slice(0, 4)} ${bomb.slice(4)}` }),
  ),
  line('I2', 'a script with "</script>"', 200, /"version":1/, stage => publish(stage, newName())),
  ...[
    'script-src *; report-uri //evil.example',
    "img-src 'self'\nscript-src *",
    { 'img-src': "'self'; script-src *" },
    { 'unknown-src': "'self'" },
    "script-src 'unsafe-eval'",
  ].map(contentSecurityPolicy =>
    line(
      'I3',
      `the policy ${JSON.stringify(contentSecurityPolicy)}`,
      400,
      /contentSecurityPolicy/,
      refused({ contentSecurityPolicy, scopes: ['site:script:inject'] }),
    ),
  ),
  ...[{ more: 1 }, { region: 'us' }, { constructor: 'x' }, { region: ['eu'] }].map(configuration =>
    line('I4', `the configuration ${JSON.stringify(configuration)}`, 400, /configuration/, stage =>
      badConfiguration(stage, configuration),
    ),
  ),
  line('I4', 'a configuration that ends the script it is in', 200, 'every "<" is escaped', escaped),
  line(
    'I5',
    'scripts of an integration of another organization',
    403,
    'no script is added',
    foreignScript,
  ),
  line('I5', 'scripts on sites at the origin of the API', 409, /STEMMA_SITES_URL/, scriptsOnOrigin),
  line(
    'I5',
    'scripts on a site with share links',
    404,
    'the profile has none',
    scriptsWithShareLinks,
  ),
  line(
    'I6',
    'secrets, scripts and configurations in answers, events and logs',
    200,
    'none is shown',
    hidden,
  ),
  line(
    'I7',
    'an integration of another organization, with every operation',
    404,
    'as if it did not exist',
    foreign,
  ),
  line(
    'I7',
    'the token of an installation beyond its scopes',
    403,
    'nothing is written',
    beyondScopes,
  ),
]
