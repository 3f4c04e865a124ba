import type { Steps } from '../../lib/slices.ts'

/** Frequent characters that differ between the two scripts of Chinese, in the same order. */
const traditional =
  '這個們說會時來對國過還發開關設資數檔網頁請為與後麼點選項顯現進動態變單擊儲戶應將從實際內體類讓業種學問題產經線給東車門間聽讀寫買賣錯誤轉換輸導覽圖標籤頭連結號碼認證權級組織'
const simplified =
  '这个们说会时来对国过还发开关设资数档网页请为与后么点选项显现进动态变单击储户应将从实际内体类让业种学问题产经线给东车门间听读写买卖错误转换输导览图标签头连结号码认证权级组织'

const inTraditional = new Set([...traditional].filter(character => !simplified.includes(character)))
const inSimplified = new Set([...simplified].filter(character => !traditional.includes(character)))

const han = /\p{Script=Han}/u
const kanaOrHangul = /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u
const letter = /\p{L}/u

/** The most characters that are counted. */
const mostCounted = 400_000
/** The characters that are counted between two pauses. */
const piece = 65_536

type Counts = {
  letters: number
  han: number
  other: number
  traditional: number
  simplified: number
}

/**
 * Returns the language to typeset a book in. `language` is that of the space. For Chinese, the
 * texts decide the script (`zh-TW` or `zh-CN`); without a language, a book with mostly Chinese
 * letters is Chinese. Fonts, the words of the table of contents and the shapes of punctuation
 * depend on it.
 */
export function* bookLanguage(
  language: string | undefined,
  texts: Iterable<string>,
): Steps<string | undefined> {
  const isChinese = language === 'zh' || language === 'yue'
  if (language !== undefined && !isChinese) return language
  const counts: Counts = { letters: 0, han: 0, other: 0, traditional: 0, simplified: 0 }
  let left = mostCounted

  for (const text of texts)
    for (let at = 0; at < text.length && left > 0; at += piece) {
      const part = text.slice(at, at + Math.min(piece, left))
      count(part, counts)
      left -= part.length
      yield
    }

  // The compiler has no translations for Cantonese, which is written in traditional characters.
  if (language === 'yue') return 'zh-TW'

  const mostly = counts.han > counts.letters / 3 && counts.other < counts.han / 10
  if (!isChinese && !mostly) return undefined

  return counts.traditional > counts.simplified ? 'zh-TW' : 'zh-CN'
}

function count(text: string, counts: Counts): void {
  for (const character of text) {
    if (character < '\u0041') continue
    if (inTraditional.has(character)) counts.traditional++
    else if (inSimplified.has(character)) counts.simplified++
    if (han.test(character)) counts.han++
    else if (kanaOrHangul.test(character)) counts.other++
    if (letter.test(character)) counts.letters++
  }
}
