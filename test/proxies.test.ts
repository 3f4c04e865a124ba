import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer, request, type Server } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { insertPublicSite } from './site/open-page.ts'
import { type App, startApp } from './support/app.ts'
import { skip } from './support/skip.ts'
import { until } from './support/until.ts'

const folder = mkdtempSync(join(tmpdir(), 'stemma-proxies-'))
test.after(() => rmSync(folder, { recursive: true, force: true }))

/** Returns the examples of a page of the manual in a language, in order. */
const examples = (page: string, language: string): string[] =>
  [
    ...readFileSync(`docs/${page}.md`, 'utf8').matchAll(
      new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'),
    ),
  ].map(([, text = '']) => text)

const [ofRoot = '', ofPath = ''] = examples('installation', 'nginx')
const [ofClones = ''] = examples('git', 'nginx')
const [caddyPath = ''] = examples('installation', 'caddy')
const traefik = examples('installation', 'yaml').find(text => text.includes('traefik.')) ?? ''

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

/** Starts a proxy in the foreground; undefined if the port was taken meanwhile. */
async function startProxy(
  command: string,
  args: readonly string[],
  port: number,
): Promise<ChildProcess | undefined> {
  const env = { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder }
  const proxy = spawn(command, args, { stdio: 'ignore', env })
  const answers = await until('the proxy answers or has ended', async () => {
    if (proxy.exitCode !== null) return 'ended'
    const answer = await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined)
    return answer && 'answers'
  })
  return answers === 'ended' ? undefined : proxy
}

const nginxOf = (port: number, app: string, locations: string): string => `
daemon off; worker_processes 1; pid ${folder}/nginx.pid; error_log ${folder}/error.log;
events {}
http {
  access_log off;
  client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/f; uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
  server {
    listen 127.0.0.1:${port};
    ${locations.replaceAll('http://127.0.0.1:3000', app)}
  }
}`

const caddyOf = (port: number, app: string, block: string): string => `
{
  admin off
  auto_https off
}
http://127.0.0.1:${port} {
  ${block.replaceAll('127.0.0.1:3000', app.slice('http://'.length))}
}`

type Kind = 'nginx' | 'caddy'
const programs = { nginx: '/usr/sbin/nginx', caddy: '/usr/bin/caddy' }

/** Runs work with a server behind a proxy on a port of its own, below a path of its host. */
async function behind(
  kind: Kind,
  config: string,
  path: string,
  work: (app: App, base: string) => Promise<void>,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort()
    const base = `http://127.0.0.1:${port}${path}`
    const app = await startApp({ STEMMA_PUBLIC_URL: base, STEMMA_TRUST_PROXY: 'loopback' })
    const file = join(folder, `${kind}-${port}.conf`)
    const text = kind === 'nginx' ? nginxOf(port, app.url, config) : caddyOf(port, app.url, config)
    writeFileSync(file, text)
    const args =
      kind === 'nginx'
        ? ['-p', folder, '-c', file]
        : ['run', '--config', file, '--adapter', 'caddyfile']
    const proxy = await startProxy(programs[kind], args, port)

    try {
      if (proxy) return await work(app, base)
      assert.ok(attempt < 3, `${kind} does not start: ${text}`)
    } finally {
      proxy?.kill()
      if (proxy) await once(proxy, 'exit')
      await app.stop()
    }
  }
}

const open = (url: string) => fetch(url, { headers: { accept: 'text/html' } })

/** Opens what a newcomer opens: the site, its assets, the reference, the sign-in, a clone. */
async function tryOut(app: App, base: string): Promise<void> {
  const site = await insertPublicSite(app, { 'README.md': '# Home\n\nHello.\n' })
  const home = await open(`${base}/`)
  assert.equal([home.status, home.url], [200, `${base}${site.base}`])
  const text = await home.text()
  assert.match(text, 'Hello.')
  const [, style = ''] = /<link rel="stylesheet" href="([^"]*)"/.exec(text) ?? []
  assert.is((await open(new URL(style, home.url).href)).status, 200, style)

  const docs = await open(`${base}/docs`)
  const parts = [...(await docs.text()).matchAll(/(?:src|href)="([^"]+)"/g)].map(found => found[1])
  assert.ok(parts.length > 2)
  for (const part of parts)
    assert.is((await open(new URL(part ?? '', docs.url).href)).status, 200, part)
  assert.is((await open(new URL('v1/openapi.json', docs.url).href)).status, 200)

  assert.is((await open(`${base}/sso/sign-in`)).status, 200)
  const user = await fetch(`${base}/v1/user`, {
    headers: { authorization: `Bearer ${app.admin.token}` },
  })
  assert.is(user.status, 200)
  const clone = `${base}/${site.space}.git/info/refs?service=git-upload-pack`
  const password = Buffer.from(`x:${app.admin.token}`).toString('base64')
  const refs = await fetch(clone, { headers: { authorization: `Basic ${password}` } })
  assert.match(await refs.text(), '# service=git-upload-pack')
}

const cases: [Kind, string, string, string][] = [
  ['nginx', 'on a host of its own', ofRoot + ofClones, ''],
  ['nginx', 'below a path', ofPath, '/manuals'],
  ['caddy', 'on a host of its own', 'reverse_proxy 127.0.0.1:3000', ''],
  ['caddy', 'below a path', caddyPath, '/manuals'],
]

for (const [kind, where, config, path] of cases)
  test(`the example of the manual for ${kind} serves a site ${where}`, async () => {
    if (!existsSync(programs[kind])) return skip(`${kind} is not installed`)
    assert.match(config, '127.0.0.1:3000')
    await behind(kind, config, path, tryOut)
  })

/** Returns the prefix that the labels of the manual's example for Traefik match and strip. */
function prefixOfLabels(): string {
  const { labels } = parse(traefik) as { labels: string[] }
  const labelOf = (name: string) =>
    labels.find(label => label.startsWith(`traefik.http.${name}=`))?.split('=')[1] ?? ''

  const prefix = labelOf('middlewares.manuals.stripprefix.prefixes')
  assert.match(labelOf('routers.stemma.rule'), `PathPrefix(\`${prefix}\`)`)
  assert.is(labelOf('routers.stemma.middlewares'), 'manuals')
  assert.is(labelOf('services.stemma.loadbalancer.server.port'), '3000')
  return prefix
}

/**
 * Starts a server that forwards requests below a prefix as Traefik does: `Host` stays, the prefix
 * is stripped and named, and the headers `X-Forwarded-*` say where the request arrived. Neither
 * Debian nor npm has Traefik itself. Source: doc.traefik.io, "StripPrefix" and "Forwarded headers".
 */
async function startForwarding(prefix: string, target: () => string): Promise<Server> {
  const server = createHttpServer((incoming, answer) => {
    const { port } = server.address() as AddressInfo
    const headers = {
      ...incoming.headers,
      'x-forwarded-for': '203.0.113.7',
      'x-forwarded-host': incoming.headers.host,
      'x-forwarded-port': `${port}`,
      'x-forwarded-prefix': prefix,
      'x-forwarded-proto': 'http',
      'x-forwarded-server': 'proxy',
      'x-real-ip': '203.0.113.7',
    }
    const path = (incoming.url ?? '/').slice(prefix.length)
    const outgoing = request(
      new URL(path.startsWith('/') ? path : `/${path}`, target()),
      { method: incoming.method, headers },
      from => from.pipe(answer.writeHead(from.statusCode ?? 502, from.headers)),
    )
    incoming.pipe(outgoing)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return server
}

test('requests as Traefik sends them after the labels of the manual reach a site', async () => {
  const prefix = prefixOfLabels()
  let target = ''
  const proxy = await startForwarding(prefix, () => target)
  const base = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}${prefix}`
  const app = await startApp({ STEMMA_PUBLIC_URL: base, STEMMA_TRUST_PROXY: 'loopback' })
  target = app.url

  try {
    await tryOut(app, base)
  } finally {
    proxy.close()
    proxy.closeAllConnections()
    await app.stop()
  }
})

test.run()
