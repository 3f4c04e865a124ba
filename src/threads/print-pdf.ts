import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { NodeCompiler } from '@myriaddreamin/typst-ts-node-compiler'
import type { PrintOrder, PrintOutcome } from '../content/print-order.ts'

// Started as a process by lib/child.ts. Of the machine the compiler can read its folder and fonts, and nothing else.
const folder = process.cwd()
const order = JSON.parse(readFileSync(join(folder, 'order.json'), 'utf8')) as PrintOrder
const compiler = NodeCompiler.create({
  workspace: folder,
  fontArgs: [{ fontPaths: [...order.fontFolders] }],
})

function print(): PrintOutcome {
  try {
    const options = { creationTimestamp: order.time }
    const pdf = compiler.pdf({ mainFilePath: join(folder, 'main.typ') }, options)
    writeFileSync(join(folder, 'out.pdf'), pdf)
    return { made: true }
  } catch (error) {
    const broken = order.images.filter(name => !isShown(name))
    return broken.length > 0 ? { broken } : { error: wordsOf(error) }
  }
}

function isShown(name: string): boolean {
  try {
    compiler.pdf({ mainFileContent: `#image(${JSON.stringify(name)}, width: 1cm)` })
    return true
  } catch {
    return false
  }
}

/** What the compiler says stands where others have the error's code. */
function wordsOf(error: unknown): string {
  const { message, code } = error as { message?: unknown; code?: unknown }
  return String(message || code || error).slice(0, 2000)
}

process.stdout.write(JSON.stringify(print()))
