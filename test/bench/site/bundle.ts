import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** Makes bundled sources find the files beside them. */
const keepAddresses: Plugin = {
  name: 'own addresses',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.tsx?$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replaceAll(
        'import.meta.url',
        JSON.stringify(pathToFileURL(path).href),
      ),
      loader: path.endsWith('x') ? 'tsx' : 'ts',
    })),
}

/**
 * Runs a program of this folder in a process of its own, bundled like the server: the loader of
 * TypeScript, which runs the bench, makes code slower. Returns the message that it sends.
 */
export async function runBundled<Result>(name: string, args: readonly string[]): Promise<Result> {
  const file = join(root, 'node_modules/.cache/stemma-bench', `${name}.mjs`)
  await build({
    entryPoints: [fileURLToPath(new URL(`./${name}.ts`, import.meta.url))],
    outfile: file,
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'warning',
    plugins: [keepAddresses],
  })
  const profile = process.env.STEMMA_BENCH_PROFILE
  const child = fork(file, args, {
    // Threads are sources.
    execArgv: ['--import', 'tsx', ...(profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`] : [])],
    env: { ...process.env, NODE_ENV: 'production' },
  })
  const answered = once(child, 'message') as Promise<[Result]>
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`${name} ended with ${code}.`)
  })
  const [result] = await Promise.race([answered, ended])

  return result
}
