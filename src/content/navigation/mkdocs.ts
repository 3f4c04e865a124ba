import { insidePath } from '../files.ts'
import { entriesOf, plainData, readYaml, scalarText } from '../text/yaml.ts'
import type { Outline, ReadNavigation } from './outline.ts'
import { deepest, entryFor, sectionFor } from './sections.ts'

/** The longest file that is read: its YAML is parsed without a pause, some 10 ms a kilobyte. */
const longest = 16_384

/** Plugins that change neither the list of pages nor their text. */
const silent =
  /^(?:material\/)?(?:search|social|offline|privacy|optimize|minify|rss|tags|meta|redirects|glightbox|git-.*)$/

/** Reads `mkdocs.yml`. Tags that name programs, such as `!!python/name:`, are left alone. */
export const readMkdocs: ReadNavigation = text => {
  const file = readYaml(text, longest)
  const settings = new Map(
    entriesOf(file.document?.contents, file).map(({ key, value }) => [key, value]),
  )
  const notTaken = file.issues.slice(0, 1).map(({ message }) => message.replace(/\.$/, ''))
  const title = scalarText(settings.get('site_name'))?.trim()
  const folder = insidePath('', scalarText(settings.get('docs_dir'))?.trim() || 'docs')
  const nav = plainData(settings.get('nav'), file)
  const reading = { skipped: 0 }
  const entries = Array.isArray(nav) ? entriesIn(reading, nav, 1) : []

  if (settings.get('nav') && entries.length === 0) notTaken.push('"nav" has no pages')
  if (reading.skipped > 0) notTaken.push(`${reading.skipped} entries of "nav" were not read`)
  if (scalarText(settings.get('INHERIT')))
    notTaken.push('the file that "INHERIT" names was not read')
  const plugins = pluginsIn(plainData(settings.get('plugins'), file))
  if (plugins.length > 0) notTaken.push(`plugins are code and do not run: ${plugins.join(', ')}`)

  return {
    ...(title && { title }),
    folder: folder ? `${folder}/` : '',
    ...(entries.length > 0 && { groups: [{ title: null, entries }] }),
    notTaken,
  }
}

function entriesIn(
  reading: { skipped: number },
  list: readonly unknown[],
  depth: number,
): Outline[] {
  return list.flatMap(item => {
    if (typeof item === 'string' && item.trim()) return entryFor(item.trim())
    if (typeof item === 'object' && item !== null && !Array.isArray(item))
      return Object.entries(item).flatMap(([label, value]) =>
        labelled(reading, label.trim(), value, depth),
      )
    reading.skipped++
    return []
  })
}

function labelled(
  reading: { skipped: number },
  label: string,
  value: unknown,
  depth: number,
): Outline[] {
  if (typeof value === 'string' && value.trim()) return [entryFor(value.trim(), label)]
  if (Array.isArray(value) && depth < deepest)
    return [sectionFor(label, entriesIn(reading, value, depth + 1))]
  reading.skipped++
  return []
}

/** Returns the names of plugins that may change pages, from a list or a map of them. */
function pluginsIn(plugins: unknown): string[] {
  const items = Array.isArray(plugins) ? plugins : [plugins]
  return items
    .flatMap(item =>
      typeof item === 'string' ? [item] : item && typeof item === 'object' ? Object.keys(item) : [],
    )
    .filter(name => !silent.test(name))
    .slice(0, 10)
}
