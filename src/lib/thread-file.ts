/** Where the files of `threads/` lie as JavaScript, with `*` for the name; undefined: as TypeScript, beside us. */
const compiled = (globalThis as { stemmaThreads?: string }).stemmaThreads

/** The file of `threads/` with this name, and whether it is TypeScript yet. */
export const threadFile = (name: string): { url: URL; isTypeScript: boolean } => ({
  url: new URL((compiled ?? '../threads/*.ts').replace('*', name), import.meta.url),
  isTypeScript: compiled === undefined,
})
