import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { bookLanguage } from '../../../src/content/print/language.ts'
import { atOnce } from '../../../src/lib/slices.ts'

const language = (said: string | undefined, ...texts: string[]) => atOnce(bookLanguage(said, texts))

const taiwan = '這個頁面說明如何設定專案，請將檔案儲存後再開啟。'
const china = '这个页面说明如何设定专案，请将档案储存后再开启。'

test('a language other than Chinese stays as it is', () => {
  assert.is(language('de', taiwan), 'de')
  assert.is(language('pt-br'), 'pt-br')
  assert.is(language('ja', '設定を保存する前に、内容を確認します。'), 'ja')
})

test('Chinese is typeset in the script of its texts', () => {
  assert.is(language('zh', taiwan), 'zh-TW')
  assert.is(language('zh', china), 'zh-CN')
  assert.is(language('zh', 'English only'), 'zh-CN')
})

test('Cantonese is typeset in traditional characters', () => {
  assert.is(language('yue', china), 'zh-TW')
})

test('a book without a language is Chinese when most of its letters are', () => {
  assert.is(language(undefined, taiwan, 'npm ci && npm start'), 'zh-TW')
  assert.is(language(undefined, china), 'zh-CN')
  assert.is(language(undefined, 'A manual in English that names 設定 once.'), undefined)
  assert.is(
    language(undefined, '設定を保存する前に、内容を確認します。そのあとで閉じます。'),
    undefined,
  )
})

test.run()
