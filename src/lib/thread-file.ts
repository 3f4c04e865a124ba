/**
 * The path of the compiled files of `threads/`, with `*` for the name; undefined when running from
 * TypeScript.
 */
const compiled = (globalThis as { stemmaThreads?: string }).stemmaThreads

/**
 * Returns the file of `threads/` with this name, whether it is still TypeScript, and the arguments
 * with which Node runs it.
 */
export const threadFile = (
  name: string,
): { url: URL; isTypeScript: boolean; execArgv: string[] } => ({
  url: new URL((compiled ?? '../threads/*.ts').replace('*', name), import.meta.url),
  isTypeScript: compiled === undefined,
  execArgv: compiled === undefined ? ['--import', import.meta.resolve('tsx')] : [],
})
