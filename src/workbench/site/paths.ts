/** Returns the path of the page of a site. */
export const shownOn = ({ organizationId, siteId }: { organizationId: string; siteId: string }) =>
  `/sites/${organizationId}/${siteId}`
