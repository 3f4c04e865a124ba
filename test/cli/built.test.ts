import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { test } from 'uvu'
import * as assert from 'uvu/assert'

const project = fileURLToPath(new URL('../../', import.meta.url))
const copy = mkdtempSync(join(tmpdir(), 'stemma-built-'))
for (const name of ['bin', 'src', 'package.json'])
  cpSync(join(project, name), join(copy, name), { recursive: true })
symlinkSync(join(project, 'node_modules'), join(copy, 'node_modules'))

test.after(() => rmSync(copy, { recursive: true }))

const node = (script: string, ...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(copy, script), ...args], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH },
  })
  assert.is(status, 0, stderr)
  return stdout.trim()
}
const { version } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'))
const main = join(copy, 'dist/stemma.mjs')

test('the built program serves: it finds its version, the migrations and the API page', async () => {
  node('bin/build.js')
  assert.is(node('bin/stemma.js', '--version'), version)
  const server = spawn(process.execPath, [join(copy, 'bin/stemma.js'), 'serve'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      STEMMA_DATA: join(copy, 'data'),
      STEMMA_LOG: 'warn',
      STEMMA_MANUAL: 'false',
    },
  })
  const ended = once(server, 'exit')

  try {
    const failed = ended.then(() => assert.unreachable('the server ended before it listened'))
    const [said] = (await Promise.race([once(server.stdout, 'data'), failed])) as [Buffer]
    const url = /listens on (http:\S+?),/.exec(String(said))?.[1]
    const information = (await (await fetch(`${url}/v1`)).json()) as { version: string }
    assert.is(information.version, version)
    assert.match(await (await fetch(`${url}/docs/`)).text(), /API reference/)
  } finally {
    server.kill()
    await ended
  }
})

test('the build is used while it matches the sources', () => {
  writeFileSync(main, 'console.log("from dist")')
  assert.is(node('bin/stemma.js', '--version'), 'from dist')

  const source = join(copy, 'src/cli/output/about.ts')
  writeFileSync(source, `${readFileSync(source, 'utf8')}\n`)
  assert.is(node('bin/stemma.js', '--version'), version)

  node('bin/build.js')
  assert.ok(readFileSync(main).length > 1_000)
  assert.is(node('bin/stemma.js', '--version'), version)
})

test('a folder without sources, as during an image build, is accepted', () => {
  const bare = join(copy, 'bare')
  mkdirSync(bare)
  cpSync(join(project, 'bin'), join(bare, 'bin'), { recursive: true })
  symlinkSync(join(project, 'node_modules'), join(bare, 'node_modules'))
  writeFileSync(join(bare, 'package.json'), '{ "type": "module" }')
  assert.match(node('bare/bin/build.js'), /nothing is built/)
})

test.run()
