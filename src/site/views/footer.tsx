import { Links } from '../../ui/parts/menu.tsx'
import { Logo } from './brand.tsx'
import type { Frame } from './model.ts'

/** Returns the footer of a site; nothing for a site without anything to say there. */
export function Footer({ frame: { footer, words, title } }: { frame: Frame }) {
  const { logo, groups, copyright, privacy, trademark } = footer
  if (!logo && groups.length === 0 && !copyright && !privacy && !trademark) return null
  return (
    <footer class="foot">
      {(logo || groups.length > 0) && (
        <div class="groups">
          {logo && (
            <div>
              <Logo logo={logo} title={title} />
            </div>
          )}
          {groups.map(group => (
            <div>
              <h2>{group.title}</h2>
              <Links links={group.links} />
            </div>
          ))}
        </div>
      )}
      <p class="small">
        {copyright && <span>{copyright}</span>}
        {privacy && <a href={privacy}>{words.privacy}</a>}
        {trademark && <span>{words.poweredBy}</span>}
      </p>
    </footer>
  )
}
