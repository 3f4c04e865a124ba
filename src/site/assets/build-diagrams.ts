import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** A file of the frames that draw diagrams. */
export type DiagramFile = { name: string; bytes: Buffer }

const source = fileURLToPath(new URL('../client/diagram.ts', import.meta.url))

/** Returns the version of the package that draws diagrams; undefined if it is not installed. */
export function diagramsVersion(): string | undefined {
  try {
    const path = createRequire(import.meta.url).resolve('mermaid/package.json')
    return (JSON.parse(readFileSync(path, 'utf8')) as { version: string }).version
  } catch {
    return undefined
  }
}

/** Returns the license of the package that draws diagrams. */
export const diagramsLicense = (): string =>
  readFileSync(createRequire(import.meta.url).resolve('mermaid/LICENSE'), 'utf8')

/**
 * Returns the text of the script that frames start with: with the version, it identifies the built
 * files.
 */
export const diagramSource = (): string => readFileSync(source, 'utf8')

/**
 * Bundles the script of the frames that draw diagrams, under `name`. Each kind of diagram is a part
 * of its own, which frames load when they need it.
 */
export async function buildDiagrams(name: string): Promise<DiagramFile[]> {
  const { outputFiles } = await build({
    entryPoints: { [name]: source },
    outdir: '/',
    bundle: true,
    splitting: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    chunkNames: 'diagram-[name].[hash]',
    tsconfigRaw: {},
    legalComments: 'none',
    logLevel: 'warning',
  })
  return outputFiles.map(({ path, contents }) => ({
    name: path.slice(1),
    bytes: Buffer.from(contents),
  }))
}
