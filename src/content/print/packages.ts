import { createRequire } from 'node:module'
import type { NodeCompiler } from '@myriaddreamin/typst-ts-node-compiler'

/** The command that installs the packages below, in the folder of the program. */
export const installPrinting = 'npm ci --prefix printing'

const compilerName = '@myriaddreamin/typst-ts-node-compiler'

/** The packages that print are large, and installed apart, in the folder `printing/`. */
const load = createRequire(new URL('../../../printing/package.json', import.meta.url))

/** Returns the path of a file of the packages that print; undefined if it is not installed. */
export function printingFile(name: string): string | undefined {
  try {
    return load.resolve(name)
  } catch {
    return undefined
  }
}

let installed = false

/** Returns whether the compiler of PDF files is installed. It may be added while a server runs. */
export function canPrint(): boolean {
  installed ||= printingFile(compilerName) !== undefined
  return installed
}

let hasSharp: boolean | undefined

/** Returns whether the optional package that decodes images is installed. */
export function hasImagePackage(): boolean {
  hasSharp ??= canResolve('sharp')
  return hasSharp
}

function canResolve(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(name)
    return true
  } catch {
    return false
  }
}

/** Returns the compiler of PDF files. Throws if it is not installed. */
export const loadCompiler = (): typeof NodeCompiler =>
  (load(compilerName) as { NodeCompiler: typeof NodeCompiler }).NodeCompiler
