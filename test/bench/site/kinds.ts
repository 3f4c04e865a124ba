/**
 * Returns Markdown of at least so many bytes that consists of one kind of part; `#` in it becomes a
 * number.
 */
const repeated = (part: string, bytes: number, before = ''): string => {
  const parts = [before]
  for (let at = 0, size = before.length; size < bytes; at++) {
    const next = part.replaceAll('#', String(at))
    parts.push(next)
    size += next.length
  }
  return parts.join('')
}

const wideRow = (columns: number): string =>
  `|${' x |'.repeat(columns)}\n|${' - |'.repeat(columns)}\n|${' y |'.repeat(columns)}\n`

/** The size of the pages that are measured. */
export const bytesOfKind = 100_000

/** Pages of one kind of part each: prose, and what costs the most for each byte. */
export const pageKinds: Readonly<Record<string, (bytes: number) => string>> = {
  prose: bytes =>
    repeated(
      'The **server** reads its settings once, see [the start](README.md). A sentence has `code #`, *emphasis* and a few commas, so that it looks like others.\n\n',
      bytes,
    ),
  'table rows': bytes => repeated('|x|y|\n', bytes, '|a|b|\n|-|-|\n'),
  'wide table': bytes => wideRow(Math.floor(bytes / 12)),
  'list items': bytes => repeated('* a b c d\n', bytes),
  'nested lists': bytes => repeated('* a\n  * b\n    * c d\n', bytes),
  headings: bytes => repeated('## Part #\n\n', bytes),
  'code blocks': bytes => repeated('```js\nconst a = #\n```\n\n', bytes),
  cards: bytes =>
    repeated(
      '<tr><td>Card #</td><td>Text</td><td><a href="README.md">r</a></td></tr>\n',
      bytes,
      '<table data-view="cards"><thead><tr><th></th><th></th><th data-hidden data-card-target data-type="content-ref"></th></tr></thead><tbody>\n',
    ).concat('</tbody></table>\n'),
  hints: bytes => repeated('{% hint style="info" %}\ntext #\n{% endhint %}\n\n', bytes),
  'tabs and details': bytes =>
    repeated(
      '{% tabs %}\n{% tab title="A #" %}\na\n{% endtab %}\n{% tab title="B" %}\nb\n{% endtab %}\n{% endtabs %}\n\n<details>\n<summary>S #</summary>\n\nb\n\n</details>\n\n',
      bytes,
    ),
}
