/** A piece of text that the menus insert. `$0` is where the cursor, or what was selected, goes. */
export type Piece = {
  id: string
  title: string
  /** What it is for, in a few words. */
  hint: string
  /** Other words that find it. */
  words: string
  text: string
}

const piece = (id: string, title: string, hint: string, words: string, text: string): Piece => ({
  id,
  title,
  hint,
  words,
  text,
})

const hint = (style: string, title: string, words: string) =>
  piece(
    `hint-${style}`,
    title,
    `A box in the colour of "${style}"`,
    `hint callout ${words}`,
    `{% hint style="${style}" %}\n$0\n{% endhint %}`,
  )

/** The blocks of the content format, in the order of the menu. */
export const blocks: readonly Piece[] = [
  piece('heading-2', 'Heading', 'A section of the page', 'h2 title', '## $0'),
  piece('heading-3', 'Small heading', 'A part of a section', 'h3 title', '### $0'),
  piece('heading-4', 'Smallest heading', '', 'h4 title', '#### $0'),
  piece('list', 'List', 'Bullets', 'ul bullet', '* $0'),
  piece('numbers', 'Numbered list', 'Steps in order', 'ol', '1. $0'),
  piece('tasks', 'Task list', 'Boxes to tick', 'todo check', '* [ ] $0'),
  piece('quote', 'Quote', '', 'blockquote', '> $0'),
  hint('info', 'Note', 'info'),
  hint('success', 'Tip', 'success'),
  hint('warning', 'Warning', 'caution'),
  hint('danger', 'Danger', 'error'),
  piece('code', 'Code', 'A block of code, with its language', 'fence pre', '```\n$0\n```'),
  piece(
    'code-title',
    'Code with a title',
    'The name of the file, lines with numbers',
    'caption line numbers',
    '{% code title="" lineNumbers="true" %}\n```\n$0\n```\n{% endcode %}',
  ),
  piece(
    'tabs',
    'Tabs',
    'Versions of a text side by side',
    'tab switch',
    '{% tabs %}\n{% tab title="First" %}\n$0\n{% endtab %}\n\n{% tab title="Second" %}\n\n{% endtab %}\n{% endtabs %}',
  ),
  piece(
    'stepper',
    'Steps',
    'Numbered steps with a title',
    'stepper guide',
    '{% stepper %}\n{% step %}\n### $0\n\n{% endstep %}\n\n{% step %}\n### \n\n{% endstep %}\n{% endstepper %}',
  ),
  piece(
    'details',
    'Expandable',
    'A text that opens on a click',
    'details accordion',
    '<details>\n\n<summary>$0</summary>\n\n\n\n</details>',
  ),
  piece(
    'columns',
    'Columns',
    'Two columns',
    'layout grid',
    '{% columns %}\n{% column %}\n$0\n{% endcolumn %}\n\n{% column %}\n\n{% endcolumn %}\n{% endcolumns %}',
  ),
  piece(
    'table',
    'Table',
    'Rows and columns',
    'grid',
    '| $0 |   |\n| --- | --- |\n|   |   |\n|   |   |',
  ),
  piece(
    'cards',
    'Cards',
    'Links with titles, as cards',
    'grid table view',
    '<table data-view="cards"><thead><tr><th></th><th></th><th data-hidden data-card-target data-type="content-ref"></th></tr></thead><tbody><tr><td><strong>$0</strong></td><td></td><td></td></tr></tbody></table>',
  ),
  piece(
    'image',
    'Image',
    'By its address',
    'picture figure photo',
    '<figure><img src="$0" alt=""><figcaption></figcaption></figure>',
  ),
  piece(
    'image-dark',
    'Image, light and dark',
    'Another image in dark mode',
    'picture figure',
    '<figure><picture><source srcset="" media="(prefers-color-scheme: dark)"><img src="$0" alt=""></picture><figcaption></figcaption></figure>',
  ),
  piece('file', 'File', 'A file to download', 'attachment', '{% file src="$0" %}'),
  piece('embed', 'Embed', 'A video or another page', 'video youtube', '{% embed url="$0" %}'),
  piece(
    'content-ref',
    'Link to a page',
    'As a card',
    'content-ref reference',
    '{% content-ref url="$0" %}\n[]()\n{% endcontent-ref %}',
  ),
  piece('divider', 'Divider', 'A line across', 'hr rule', '***\n\n$0'),
  piece('math', 'Formula', 'In TeX', 'katex latex math', '$$\n$0\n$$'),
  piece('mermaid', 'Diagram', 'In Mermaid', 'flowchart graph', '```mermaid\n$0\n```'),
  piece(
    'updates',
    'Updates',
    'A changelog with dates',
    'changelog release notes',
    '{% updates format="full" %}\n{% update date="" %}\n## $0\n\n{% endupdate %}\n{% endupdates %}',
  ),
  piece(
    'if',
    'Condition',
    'Shown to some readers',
    'if claims adaptive',
    '{% if $0 %}\n\n{% endif %}',
  ),
  piece('include', 'Reusable content', 'From .gitbook/includes', 'snippet', '{% include "$0" %}'),
  piece(
    'prompt',
    'Prompt',
    'A text for an assistant',
    'ai',
    '{% prompt description="" %}\n```\n$0\n```\n{% endprompt %}',
  ),
  piece(
    'openapi',
    'OpenAPI operation',
    'From a specification',
    'api swagger rest',
    '{% openapi-operation spec="$0" path="/" method="get" %}\n{% endopenapi-operation %}',
  ),
  piece(
    'openapi-schemas',
    'OpenAPI schemas',
    'From a specification',
    'api model',
    '{% openapi-schemas spec="$0" schemas="" %}\n{% endopenapi-schemas %}',
  ),
]

/** What stands within a line. */
export const inlines: readonly Piece[] = [
  piece('keyboard', 'Key', 'A key of the keyboard', 'kbd', '<kbd>$0</kbd>'),
  piece('formula', 'Formula in the text', 'In TeX', 'math', '$$$0$$'),
  piece('footnote', 'Annotation', 'A note at the end', 'footnote', '[^1]$0'),
  piece(
    'button',
    'Button',
    'A link that looks like a button',
    'cta',
    '<a href="" class="button primary">$0</a>',
  ),
  piece('icon', 'Icon', 'By its name', 'symbol', '<i class="fa-$0"></i>'),
  piece(
    'expression',
    'Expression',
    'The value of a variable',
    'variable',
    '<code class="expression">space.vars.$0</code>',
  ),
  piece(
    'colour',
    'Coloured text',
    '',
    'color mark highlight',
    '<mark style="color:$primary;">$0</mark>',
  ),
]
