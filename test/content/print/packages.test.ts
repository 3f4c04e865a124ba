import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { test } from 'uvu'
import * as assert from 'uvu/assert'

const source = 'src/content/print/packages.ts'
const project = fileURLToPath(new URL('../../../', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'stemma-printing-'))
mkdirSync(join(folder, 'src/content/print'), { recursive: true })
cpSync(join(project, source), join(folder, source))
writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
test.after(() => rmSync(folder, { recursive: true }))

/** Returns whether the program in the folder can print. */
const canPrint = () => {
  const address = JSON.stringify(pathToFileURL(join(folder, source)).href)
  const script = `const { canPrint } = await import(${address}); console.log(canPrint())`
  // Away from the project, whose paths in tsconfig.json the loader would follow.
  const args = ['--import', import.meta.resolve('tsx'), '--input-type=module', '-e', script]
  return execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8' }).trim()
}

test('PDF files need the packages of the folder printing/', () => {
  assert.is(canPrint(), 'false')
  const compiler = join(folder, 'printing/node_modules/@myriaddreamin/typst-ts-node-compiler')

  mkdirSync(compiler, { recursive: true })
  writeFileSync(join(compiler, 'index.js'), '')
  writeFileSync(join(folder, 'printing/package.json'), '{}')

  assert.is(canPrint(), 'true')
})

test.run()
