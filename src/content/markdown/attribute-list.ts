/** A class, an id, or a name with a value. */
const item = String.raw`(?:[.#][^\s{}"'=]{1,200}|[\w-]{1,50}=(?:"[^"{}\n]{0,200}"|'[^'{}\n]{0,200}'|[^\s{}"']{1,200}))`
const list = new RegExp(String.raw`\{:?[ \t]*(${item}(?:[ \t]+${item}){0,20})[ \t]*\}`, 'y')

/** A list such as `{#id .class width="200"}`: its content, and the offset behind it. */
type AttributeList = { content: string; end: number }

/** Returns the list of attributes that begins at an offset; undefined without one. */
export function attributeListAt(source: string, at: number): AttributeList | undefined {
  if (source[at] !== '{') return undefined
  list.lastIndex = at
  const content = list.exec(source)?.[1]
  return content === undefined ? undefined : { content, end: list.lastIndex }
}

/**
 * Returns the list behind a link or an image that ends at an offset. Behind a link it begins with a
 * class or an id: otherwise it may be text.
 */
export function listBehind(
  source: string,
  at: number,
  kind: 'link' | 'image',
): AttributeList | undefined {
  const found = attributeListAt(source, at)
  return kind === 'image' || /^[.#]/.test(found?.content ?? '') ? found : undefined
}
