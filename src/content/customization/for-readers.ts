import type { z } from 'zod'
import type { ContentLink, ContentRef, FooterGroups, HeaderItems } from './parts.ts'
import type { Settings } from './schema.ts'

type Ref = z.output<typeof ContentRef>
type Link = z.output<typeof ContentLink>
type HeaderItem = z.output<typeof HeaderItems>[number]
type FooterGroup = z.output<typeof FooterGroups>[number]

/**
 * Returns settings as a reader gets them: without header links whose condition is not met, and
 * without any condition. `isMet` gets each condition as it was written, except empty ones, which
 * are met.
 */
export function shownTo(settings: Settings, isMet: (condition: string) => boolean): Settings {
  const links = settings.header.links
    .filter(({ condition }) => !condition || isMet(condition))
    .map(({ condition: _, ...link }) => link)
  return { ...settings, header: { ...settings.header, links } }
}

/**
 * Returns settings without links to spaces that are hidden from a reader, in header, footer and
 * announcement. A menu with a hidden target keeps its other links; a menu or group that loses all
 * links is left out.
 */
export function withoutHiddenTargets(
  settings: Settings,
  isSpaceShown: (spaceId: string) => boolean,
): Settings {
  const isShown = (to: Ref): boolean =>
    !('space' in to) || to.space === undefined || isSpaceShown(to.space)
  const shown = (links: readonly Link[]): Link[] => links.filter(({ to }) => isShown(to))
  const { announcement, header, footer } = settings

  return {
    ...settings,
    header: { ...header, links: header.links.flatMap(item => shownItem(item, isShown, shown)) },
    footer: { ...footer, groups: footer.groups.flatMap(group => shownGroup(group, shown)) },
    ...(announcement?.link &&
      !isShown(announcement.link.to) && { announcement: withoutLink(announcement) }),
  }
}

function shownItem(
  item: HeaderItem,
  isShown: (to: Ref) => boolean,
  shown: (links: readonly Link[]) => Link[],
): HeaderItem[] {
  const links = shown(item.links)
  const to = item.to && isShown(item.to) ? item.to : null
  const hasLost = links.length < item.links.length || to !== item.to
  return hasLost && links.length === 0 && to === null ? [] : [{ ...item, to, links }]
}

function shownGroup(group: FooterGroup, shown: (links: readonly Link[]) => Link[]): FooterGroup[] {
  const links = shown(group.links)
  return links.length === 0 && group.links.length > 0 ? [] : [{ ...group, links }]
}

function withoutLink({ link: _, ...announcement }: NonNullable<Settings['announcement']>) {
  return announcement
}
