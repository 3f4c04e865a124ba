import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Writes a page with all pictures of a folder, for a person to look at. */
export function writeContactSheet(folder: string): void {
  const pictures = readdirSync(folder)
    .filter(name => name.endsWith('.png'))
    .sort()
  const figures = pictures.map(
    name =>
      `<figure><a href="${name}"><img src="${name}" loading="lazy" alt=""></a><figcaption>${name}</figcaption></figure>`,
  )
  const style =
    'body { display: grid; grid-template-columns: repeat(auto-fill, minmax(20rem, 1fr)); gap: 1rem; background: #888; font: 0.8rem sans-serif } img { width: 100%; max-height: 40rem; object-fit: cover; object-position: top }'
  const html = `<!doctype html><meta charset="utf-8"><title>Reading site</title><style>${style}</style>${figures.join('')}`

  writeFileSync(join(folder, 'index.html'), html)
}
