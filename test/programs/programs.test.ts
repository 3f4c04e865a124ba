import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import openapiTypes, { type OpenAPI3 } from 'openapi-typescript'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { sentEvents } from '../../src/api/people/webhooks/events.ts'
import { api } from '../../src/api/routes.ts'
import { openApiDocument } from '../../src/http/document/openapi.ts'
import { type App, startApp } from '../support/app.ts'

const run = promisify(execFile)
const packages = createRequire(import.meta.url)
const compiler = join(dirname(packages.resolve('typescript/package.json')), 'bin/tsc')
const source = 'test/programs/manual.mts'

let app: App
let folder: string
test.before(async () => {
  app = await startApp()
  folder = await mkdtemp(join(tmpdir(), 'stemma-program-'))
  const nodeTypes = dirname(packages.resolve('@types/node/package.json'))
  await symlink(join(nodeTypes, '../..'), join(folder, 'node_modules'))
  await copyFile(source, join(folder, 'manual.mts'))
  const document = openApiDocument(api, '/v1', app.url, sentEvents) as unknown as OpenAPI3
  await writeFile(join(folder, 'stemma.d.ts'), await openapiTypes(document))
})
test.after(async () => {
  await app.stop()
  await rm(folder, { recursive: true, force: true })
})

/** Compiles the program with the types of the document; returns what the compiler complains about. */
async function compile(): Promise<string> {
  const options = {
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    target: 'es2023',
    module: 'nodenext',
    types: ['node'],
  }
  const config = { compilerOptions: options, files: ['manual.mts'] }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
  return run(process.execPath, [compiler, '-p', folder]).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  )
}

test('a program with types of the document compiles, and does 20 operations', async () => {
  assert.is(await compile(), '')
  const args = [join(folder, 'manual.mjs'), app.url, app.admin.token, 'acme']
  const { stdout } = await run(process.execPath, args)

  assert.equal(JSON.parse(stdout), {
    displayName: 'Ada',
    isListed: true,
    comments: 1,
    changes: 1,
    merged: 'merge',
    titles: ['Bicycles', 'Brakes'],
    days: true,
    markdown: '# Brakes\n\nTwo brakes, front and rear.',
    found: 1,
    broken: 0,
    isPublished: true,
  })
  const text = await readFile(source, 'utf8')
  const calls = [...text.matchAll(/call\(\s*'(\w+)',\s*'([^']+)'/g)].map(
    call => `${call[1]} ${call[2]}`,
  )

  assert.ok(new Set(calls).size >= 20, calls.join('\n'))
})

test('a program that misuses the API does not compile', async () => {
  const text = await readFile(source, 'utf8')
  await writeFile(join(folder, 'manual.mts'), text.replace("language: 'en'", "language: 'klingon'"))

  assert.match(await compile(), /klingon/)
})

test.run()
