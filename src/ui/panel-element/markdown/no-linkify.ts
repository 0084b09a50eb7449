/** In the place of the package `linkify-it`, which `linkify: false` leaves unused. */
export class LinkifyIt {}
