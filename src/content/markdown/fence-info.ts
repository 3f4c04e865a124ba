/** What the line that opens a block of code says about it, in the spellings of several tools. */
type FenceInfo = {
  language: string
  title: string
  /** Whether its lines are numbered. */
  numbers: boolean
  /** The marked lines, such as "1,3-5"; '' for none. */
  lines: string
}

const longest = 2000

// Each reads one option at the start of what is left.
const spaces = /^[\s,]+/
const label = /^\[([^\]\n]*)\]/
const ranges = /^\{([\d\s,-]*)\}/
const setting = /^([A-Za-z][\w-]*)=(?:"([^"]*)"|'([^']*)'|\{([^}]*)\}|(\[[^\]]*\]|[^\s},]*))/
const word = /^[^\s{]+|^[{}]/

/** Names of settings and words that number the lines. */
const numbering = /^(?:linenums|linenumbers|showlinenumbers|line-numbers|linenos)$/i
/** Names of settings that mark lines. */
const marking = /^(?:hl_lines|highlight|mark)$/i

/**
 * Reads the info string of a fence: the language, and options such as `{1,3-5}`, `[title]`,
 * `title="a"`, `hl_lines="1 3-5"`, `linenums="1"` and `showLineNumbers`. A bare file name is the
 * title. Ignores other options.
 */
export function readFenceInfo(info: string): FenceInfo {
  const found: FenceInfo = { language: '', title: '', numbers: false, lines: '' }
  let rest = takeLanguage(found, info.trim().slice(0, longest))
  while (rest !== '') rest = takeOption(found, rest.replace(spaces, ''))
  return found
}

/** Reads the language, and returns the rest: `js`, `js{1}`, `js:line-numbers` or `{.js title="a"`. */
function takeLanguage(found: FenceInfo, info: string): string {
  const braced = /^\{\s*\.?([A-Za-z][\w+#-]*)(?!=)(?=[\s}])/.exec(info)
  const [written = ''] = braced ?? /^(?!\w+=["'{])[^\s{[,]*/.exec(info) ?? []
  const [language = '', option] = (braced?.[1] ?? written).split(/:(?=(?:no-)?line-numbers)/)
  found.language = language
  found.numbers = option?.startsWith('line-numbers') ?? false
  return info.slice(written.length)
}

function takeOption(found: FenceInfo, rest: string): string {
  const [bracketed, title] = label.exec(rest) ?? []
  const [braced, listed] = ranges.exec(rest) ?? []
  const [set, name = '', ...values] = setting.exec(rest) ?? []
  const taken = bracketed ?? braced ?? set ?? word.exec(rest)?.[0] ?? rest

  if (title !== undefined) found.title ||= title.trim()
  else if (listed !== undefined) addLines(found, listed)
  else if (set !== undefined)
    applySetting(found, name, values.find(each => each !== undefined) ?? '')
  else if (numbering.test(taken)) found.numbers = true
  else if (/^[\w./-]+\.\w{1,8}$/.test(taken)) found.title ||= taken

  return rest.slice(taken.length)
}

function applySetting(found: FenceInfo, name: string, value: string): void {
  if (name === 'title' || name === 'filename') found.title ||= value.trim()
  else if (marking.test(name)) addLines(found, value.replace(/["'[\]]/g, ''))
  else if (numbering.test(name)) found.numbers = !/^(?:false|0)$/.test(value)
}

function addLines(found: FenceInfo, listed: string): void {
  const lines = listed.split(/[\s,]+/).filter(each => /^\d{1,5}(?:-\d{1,5})?$/.test(each))
  found.lines = [found.lines, ...lines].filter(each => each !== '').join(',')
}
