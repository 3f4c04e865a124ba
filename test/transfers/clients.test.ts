import fs from 'node:fs'
import { join } from 'node:path'
import git from 'isomorphic-git'
import http from 'isomorphic-git/http/node'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type App, startApp } from '../support/app.ts'
import { type GitClient, openClient, remoteOf, run } from '../support/git/client.ts'
import { skip } from '../support/skip.ts'

let app: App
let client: GitClient
let address = ''
let remote = ''
let head = ''

test.before(async () => {
  app = await startApp()
  client = await openClient()
  const { body } = await app.admin.post('/v1/orgs/acme/spaces', { title: 'Docs' })
  address = body.urls.git
  remote = remoteOf(app.url, body.id, app.admin.token)
  const change = { operation: 'insert_page', title: 'Second', document: { markdown: 'Text.' } }
  head = (await app.admin.post(`/v1/spaces/${body.id}/content`, { changes: [change] })).body.revision
})
test.after(async () => {
  await client.remove()
  await app.stop()
})

test('isomorphic-git clones, and is refused with a wrong token', async () => {
  const dir = join(client.folder, 'isomorphic')
  const onAuth = () => ({ username: 'x', password: app.admin.token })
  await git.clone({ fs, http, dir, url: address, onAuth })
  assert.is(await git.resolveRef({ fs, dir, ref: 'HEAD' }), head)
  assert.ok(fs.existsSync(join(dir, 'second.md')))
  const shallow = join(client.folder, 'isomorphic-shallow')
  await git.clone({ fs, http, dir: shallow, url: address, onAuth, depth: 1, singleBranch: true })
  assert.is((await git.log({ fs, dir: shallow })).length, 1)
  const refs = await git.listServerRefs({ http, url: address, onAuth, protocolVersion: 2, symrefs: true })
  assert.equal(
    refs.map(({ ref }) => ref),
    ['HEAD', 'refs/heads/main'],
  )
  const wrong = await git
    .listServerRefs({
      http,
      url: address,
      onAuth: () => ({ username: 'x', password: 'wrong' }),
      onAuthFailure: () => ({ cancel: true }),
    })
    .then(() => undefined, String)
  assert.match(wrong ?? '', /UserCanceledError|HTTP Error: 401/)
})

/** The python of the system, for which Debian packages libraries. */
const python = '/usr/bin/python3'

/** Runs a script with the remote, a token and a folder as its arguments; undefined where the library is missing. */
async function script(library: string, lines: readonly string[]) {
  const has = await run(python, ['-c', `import ${library}`], client.folder).catch(() => undefined)
  if (has?.code !== 0) return undefined
  const code = lines.join('\n')
  return run(python, ['-c', code, address, app.admin.token, library], client.folder)
}

test('libgit2 clones', async () => {
  const ended = await script('pygit2', [
    'import sys, pygit2',
    'login = pygit2.RemoteCallbacks(credentials=pygit2.UserPass("x", sys.argv[2]))',
    'print(pygit2.clone_repository(sys.argv[1], sys.argv[3], callbacks=login).head.target)',
  ])
  if (!ended) return skip('python3-pygit2 is not installed')
  assert.is(ended.stdout.trim(), head, ended.stderr)
})

test('dulwich clones', async () => {
  const ended = await script('dulwich', [
    'import sys, io',
    'from dulwich import porcelain',
    'repo = porcelain.clone(sys.argv[1], sys.argv[3], username="x", password=sys.argv[2], errstream=io.BytesIO())',
    'print(repo.head().decode())',
  ])
  if (!ended) return skip('python3-dulwich is not installed')
  assert.is(ended.stdout.trim(), head, ended.stderr)
})

/** Where Debian puts the sources of packages for Go. */
const goPath = '/usr/share/gocode'

/** Builds the client of go-git; undefined where Go or the package is missing. */
async function buildGoClient(): Promise<string | undefined> {
  const hasGo = await run('go', ['version'], client.folder).catch(() => undefined)
  if (hasGo?.code !== 0 || !fs.existsSync(join(goPath, 'src/github.com/go-git/go-git'))) return undefined
  const source = join(client.folder, 'go/src/client')
  fs.mkdirSync(source, { recursive: true })
  fs.copyFileSync(new URL('./go-git-client.go', import.meta.url), join(source, 'main.go'))
  // In a folder with this file alone, Go finds "go-git/v5" in a folder without "v5".
  fs.writeFileSync(join(source, 'go.mod'), 'module client\n')
  const built = join(client.folder, 'go-git-client')
  const { code, stderr } = await run('go', ['build', '-o', built, '.'], source, {
    GO111MODULE: 'off',
    GOPATH: `${join(client.folder, 'go')}:${goPath}`,
    // With its cache, which makes the second build fast.
    HOME: process.env.HOME ?? client.folder,
  })
  assert.is(code, 0, stderr)
  return built
}

test('go-git clones, pushes and proposes, and is refused a tag and a wrong token', async () => {
  const program = await buildGoClient()
  if (!program) return skip('golang-go and golang-github-go-git-go-git-dev are not installed')
  const space = (await app.admin.post('/v1/orgs/acme/spaces', { title: 'From Go' })).body
  const change = { operation: 'insert_page', title: 'First', document: { markdown: 'Text.' } }
  const { body } = await app.admin.post(`/v1/spaces/${space.id}/content`, { changes: [change] })
  const args = [space.urls.git, app.admin.token, join(client.folder, 'go-clone')]
  const { code, stdout, stderr } = await run(program, args, client.folder)
  assert.is(code, 0, stderr)
  const [cloned, pushed, proposed, tag, token] = stdout.split('\n')
  assert.is(cloned, `cloned ${body.revision}`)
  const refs = await client.ok(['ls-remote', remoteOf(app.url, space.id, app.admin.token)])
  assert.match(refs, `${pushed?.replace('pushed ', '')}\trefs/heads/main`)
  assert.match(refs, `${proposed?.replace('proposed ', '')}\trefs/heads/change-requests/1`)
  assert.match(tag ?? '', /tags are not taken here/)
  assert.match(token ?? '', /authentication required/)
})

test('git bundles what it cloned, whole and sound', async () => {
  await client.ok(['clone', '-q', '--mirror', remote, 'mirror'])
  await client.ok(['fsck', '--strict', '--full'], { in: 'mirror' })
  assert.is(await client.ok(['rev-parse', 'main'], { in: 'mirror' }), head)
})

test.run()
