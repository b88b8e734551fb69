/** The page that an address belongs to: the parts of the settings are one page. */
export const pageKeyOf = (pathname: string) => pathname.replace(/^((?:\/console)?\/settings)\/.*$/, '$1')
