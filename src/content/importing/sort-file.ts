import { isMarkdown } from '../files.ts'
import { configPath } from '../tree/config.ts'

/** What becomes of a file: a text or page that is read, a file of the space, or nothing and why. */
type Sort = { as: 'text' | 'html' | 'word' | 'file' } | { as: 'nothing'; why: string }

const assets = /(?:^|\/)\.gitbook\/assets\//
const includes = /(?:^|\/)\.gitbook\/includes\//
const bySystem = /(?:^|\/)(?:__MACOSX\/|\.DS_Store$|Thumbs\.db$|desktop\.ini$)/i
/** What Word and others put beside a document that is open. */
const locks = /(?:^|\/)~\$[^/]*$/
const programs =
  /\.(?:css|scss|less|[cm]?[jt]sx?|map|vue|php|py|rb|sh|bat|cmd|ps1|exe|dll|so|dylib|jar|wasm|lock)$/i

/** Says what becomes of the file at a path. */
export function sortFile(path: string): Sort {
  if (bySystem.test(path)) return nothing('was made by the operating system')
  if (locks.test(path)) return nothing('is the lock of a document that was open')
  if (path === configPath) return { as: 'text' }
  if (includes.test(path)) return nothing('is reusable content, which imports do not take over')
  if (!assets.test(path) && /(?:^|\/)\./.test(path)) return nothing('is hidden')
  if (isMarkdown(path)) return { as: 'text' }
  if (/\.x?html?$/i.test(path)) return { as: 'html' }
  if (/\.docx$/i.test(path)) return { as: 'word' }
  if (programs.test(path)) return nothing('is a script, a style or a program')
  return { as: 'file' }
}

const nothing = (what: string): Sort => ({
  as: 'nothing',
  why: `The file ${what}. It was left out.`,
})
