// The ways to compare two versions of an image.

export const imageViews = ['sides', 'swipe', 'difference'] as const;
export type ImageView = (typeof imageViews)[number];

export const nextImageView = (view: ImageView): ImageView =>
  imageViews[(imageViews.indexOf(view) + 1) % imageViews.length]!;
