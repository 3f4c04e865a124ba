import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { type NameServer, serveNames } from '../../../support/http/name-server.ts'
import { beside } from '../../beside.ts'
import { importOf } from '../../import.ts'
import { type Line, line, must, type Seen, skipped } from '../../line.ts'
import { file, makeRepository } from '../../objects.ts'
import type { Stage } from '../../stage.ts'

/**
 * The answers of the server's name server in order; the last one repeats. Other names do not exist.
 */
const names: Record<string, string[][]> = {
  'half.example': [['93.184.216.34', '10.0.0.1']],
  'turning.example': [['93.184.216.34'], ['127.0.0.1']],
  'docs.invalid': [['127.0.0.1']],
  'turning.webhook.example': [['93.184.216.34'], ['127.0.0.1']],
  'turning.openapi.example': [['93.184.216.34'], ['127.0.0.1']],
  'fast.example': [['127.0.0.1']],
}

let nameServer: Promise<NameServer> | undefined

/** Names below slow.example are never answered. */
function openNameServer(): Promise<NameServer> {
  nameServer ??= serveNames(name => {
    if (name.endsWith('.slow.example')) return 'silence'
    const answers = names[name]
    return answers && answers.length > 1 ? answers.shift() : answers?.[0]
  })
  return nameServer
}

/** Gives the server a hosts file in which "localhost" has another address than for Git. */
const hostsFile = `
  import fs from 'node:fs/promises'
  import { syncBuiltinESMExports } from 'node:module'
  const real = fs.readFile
  fs.readFile = (path, ...more) => path === '/etc/hosts' ? Promise.resolve('127.0.0.2 localhost') : real(path, ...more)
  syncBuiltinESMExports()`
const nodeFlags = ['--import', `data:text/javascript,${encodeURIComponent(hostsFile)}`]

async function withNames(name: string, allowPrivate: boolean): Promise<Stage> {
  const { address } = await openNameServer()
  const env = {
    STEMMA_ALLOW_PRIVATE_REMOTES: String(allowPrivate),
    STEMMA_NAME_SERVERS: address,
    STEMMA_LOG: 'warn',
  }
  return beside(name, { nodeFlags, env })
}

/** A server with default settings: it connects to the public internet only. */
export const strict = () => withNames('strict', false)
/** A server that may connect to this machine. */
export const inner = () => withNames('inner', true)

/** A port on this machine that must not be reached: every connection counts. */
export async function withCanary(work: (port: number) => Promise<Seen>): Promise<Seen> {
  let reached = 0
  const server = createServer(socket => {
    reached++
    socket.destroy()
  }).listen(0, '127.0.0.1')

  await new Promise(resolve => server.once('listening', resolve))

  try {
    const seen = await work((server.address() as AddressInfo).port)
    must(reached === 0, `${reached} connections came`)
    return seen
  } finally {
    server.close()
  }
}

/** Requests an import from this address; PORT stands for a forbidden port. */
const from =
  (url: string, where: () => Promise<Stage> = strict) =>
  (): Promise<Seen> =>
    withCanary(async port =>
      importOf(await where(), 'none', { url: url.replaceAll('PORT', String(port)) }),
    )

const upload = (url: string) => () =>
  withCanary(async port => {
    const stage = await strict()
    const files = [
      { name: 'a.png', contentType: 'image/png', url: url.replaceAll('PORT', String(port)) },
    ]
    return stage.call('POST', `/v1/spaces/${await stage.space()}/content`, {
      body: { changes: [{ operation: 'insert_files', files }] },
    })
  })

/** A command in the address, which must not leave a file behind. */
const command = (url: (file: string) => string) => async (main: Stage) => {
  const file = join(main.folder, 'ran')
  const seen = await from(url(file))()
  must(!existsSync(file), 'the command ran')
  return seen
}

/** Imports a repository of the run's host by this name, which only the server's resolver knows. */
const named = (name: string) => async (main: Stage) => {
  const repo = makeRepository(main.folder, `named-${name}`)
  repo.commit(repo.tree([file('README.md', repo.blob('# Home\n'))]))
  const before = main.host.requests.length
  const url = `http://${name}:${main.host.port}/named-${name}.git`
  const seen = await importOf(await inner(), 'none', { url })
  const reached = main.host.requests.length > before
  must(reached === (seen.status === 'success'), 'the host was asked, though it was not looked up')
  return seen
}

const selfSigned = async (main: Stage): Promise<Seen> => {
  const [key, cert] = [join(main.folder, 'key.pem'), join(main.folder, 'cert.pem')]
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1']
  const made = ['-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert, '-days', '1']
  execFileSync('openssl', ['req', '-x509', ...made, ...subject], { stdio: 'ignore' })
  let asked = 0
  const server = createHttpsServer(
    { key: readFileSync(key), cert: readFileSync(cert) },
    (_, response) => {
      asked++
      response.end()
    },
  ).listen(0, '127.0.0.1')

  await new Promise(resolve => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo

  try {
    const seen = await importOf(await inner(), 'none', {
      url: `https://me:secret@127.0.0.1:${port}/x.git`,
    })
    must(asked === 0, 'a request was sent')
    return seen
  } finally {
    server.close()
  }
}

const hasOpenssl = () =>
  ['/usr/bin/openssl', '/usr/local/bin/openssl', '/bin/openssl'].some(existsSync)

const inside = /private or reserved/
const schemes = [
  ...[
    'ssh://-oProxyCommand=touch/x',
    'git@host:x',
    'git://host/x',
    'ftp://host/x',
    'fd::17',
    'dict://host/x',
  ],
  ...['http::http://host/x', 'http://example.org/x'],
]
const thisMachine = [
  ...[
    '127.0.0.1:PORT',
    '2130706433:PORT',
    '0x7f000001:PORT',
    '017700000001:PORT',
    '127.1:PORT',
    '0:PORT',
  ],
  ...['[::1]:PORT', '[::ffff:127.0.0.1]:PORT', '\uff1127.0.0.\uff11:PORT'],
  'here.localhost:PORT',
]
const innerNetworks = ['169.254.169.254/latest', '[fd00:ec2::254]/x', '10.0.0.1/x', '192.168.1.1/x']
/** Addresses that are not hosts of the public internet; PORT stands for a forbidden port. */
export const innerHosts = [...thisMachine, ...innerNetworks]
const ambiguous: [what: string, url: string][] = [
  ['a backslash before "@"', 'https://127.0.0.1:PORT\\@example.org/x'],
  ['two "@"', 'https://a:b@c:d@127.0.0.1:PORT/x'],
  ['an escape in the host', 'https://127%2e0.0.1:PORT/x'],
  ['a tab in the host', 'https://127.0\t.0.1:PORT/x'],
  ['a line end in the path', 'https://example.org/x\nHost: 127.0.0.1'],
  ['a dot behind the host', 'https://localhost.:PORT/x'],
  ['no host', 'https:///x'],
]

/** Addresses that Git may be sent to. */
export const addresses: Line[] = [
  line(
    'A1',
    'ext:: with a command',
    400,
    /https:/,
    command(path => `ext::sh -c "touch ${path}"`),
  ),
  line(
    'A1',
    'EXT:: with a command',
    400,
    /https:/,
    command(path => `EXT::sh -c "touch ${path}"`),
  ),
  ...['--upload-pack=touch ', '-utouch ', '--receive-pack=touch ', '--exec=touch '].map(option =>
    line(
      'A2',
      `${option}in place of an address`,
      400,
      /https:/,
      command(path => option + path),
    ),
  ),
  ...['/etc', './x', '.', 'file:///etc', ''].map(url =>
    line('A3', `the address "${url}"`, 400, /https:|url/, from(url)),
  ),
  ...schemes.map(url => line('A4', url, 400, /https:/, from(url))),
  ...thisMachine.map(host =>
    line('A5', `https://${host}`, '400|403', inside, from(`https://${host}/x`)),
  ),
  ...innerNetworks.map(host => line('A6', `https://${host}`, 403, inside, from(`https://${host}`))),
  line(
    'A6',
    'an upload from 169.254.169.254',
    400,
    inside,
    upload('http://169.254.169.254/latest'),
  ),
  line('A6', 'an upload from this machine', 400, inside, upload('http://127.0.0.1:PORT/x')),
  line(
    'A7',
    'a name that resolves to a public address when checked, and to this machine when fetched',
    'failure',
    inside,
    from('https://turning.example:PORT/x'),
  ),
  line(
    'A7',
    'a name that only our own resolver knows',
    'success',
    'Git connects there',
    named('docs.invalid'),
  ),
  line(
    'A7',
    'a name that resolves to this machine for Git, and elsewhere for our resolver',
    'failure',
    /could not be reached/,
    named('localhost'),
  ),
  line(
    'A8',
    'a name with a public and a private address',
    403,
    inside,
    from('https://half.example:PORT/x'),
  ),
  line(
    'A8',
    'an upload from a name with a public and a private address',
    400,
    inside,
    upload('https://half.example:PORT/x'),
  ),
  ...ambiguous.map(([what, url]) =>
    line('A11', `an address with ${what}`, '400|403', /not valid|private|https:/, from(url)),
  ),
  hasOpenssl()
    ? line('A18', 'a self-signed certificate', 'failure', /certificate/, selfSigned)
    : skipped('A18', 'a self-signed certificate', 'there is no openssl to make one'),
  skipped(
    'A18',
    'a certificate that has expired',
    'no authority that Git trusts would sign one: it fails like one that the host signed itself',
  ),
]
