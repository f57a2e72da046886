# Draws what bench_augmented has measured, and the steps of two runs:
#   bench_augmented DATA
#   stickslip run scenes/falling_mass_augmented.yaml --no-plots -o DATA/fall.h5
#   stickslip export DATA/fall.h5 t dt x "x'" -o DATA/fall.csv
#   stickslip run scenes/woodpecker_augmented.yaml --no-plots -o DATA/peck.h5
#   stickslip export DATA/peck.h5 t dt phi_S "phi_S'" "phi_M'" -o DATA/peck.csv
#   gnuplot -e "data='DATA'; out='docs/images'" bench/augmented.gp
set terminal svg size 1080,360 font "sans,13" background "white"
set logscale xy
set format x "10^{%L}"
set format y "10^{%L}"
set grid lc rgb "#dddddd"
set key top left reverse Left samplen 1.5
array color[6] = ["#1b6ca8", "#c8553d", "#4f772d", "#7b2d8b", "#b8860b", "#555555"]
file(scene, p) = sprintf("%s/%s_%d.txt", data, scene, p)

set output out . "/augmented_oscillator.svg"
set multiplot layout 1,3
set ylabel "largest error of x in m"
set xlabel "largest step Δt_{max} in s"
plot for [p=1:5] file("oscillator", p) using 1:3 with linespoints pt 7 ps 0.5 lc rgb color[p] title sprintf("p = %d", p)
unset ylabel
set xlabel "average step in s"
plot for [p=1:5] file("oscillator", p) using 2:3 with linespoints pt 7 ps 0.5 lc rgb color[p] notitle
set xlabel "cpu time in s"
set key bottom left
plot for [p=2:5] file("oscillator", p) using 4:3 with linespoints pt 7 ps 0.5 lc rgb color[p] notitle, \
     file("oscillator", 0) using 4:3 with linespoints pt 5 ps 0.6 lc rgb color[6] title "constant steps"
unset multiplot

set key top left
set output out . "/augmented_woodpecker.svg"
set multiplot layout 1,3
set ylabel "error of φ_S in rad"
set xlabel "largest step Δt_{max} in s"
plot for [p=1:5] file("woodpecker", p) using 1:3 with linespoints pt 7 ps 0.5 lc rgb color[p] title sprintf("p = %d", p)
unset ylabel
set xlabel "Δt_{max} in s, with a damper in the spring"
plot for [p=1:5] file("damped", p) using 1:3 with linespoints pt 7 ps 0.5 lc rgb color[p] notitle
set xlabel "cpu time in s"
set key bottom left
plot for [p=2:5] file("woodpecker", p) using 4:3 with linespoints pt 7 ps 0.5 lc rgb color[p] notitle, \
     file("woodpecker", 0) using 4:3 with linespoints pt 5 ps 0.6 lc rgb color[6] title "constant steps"
unset multiplot

unset logscale
set logscale y
set format x "%g"
unset key
set datafile separator ","
set output out . "/augmented_steps.svg"
set multiplot layout 1,3
set xlabel "t in s"
set title "falling mass: step size in s"
plot data . "/fall.csv" using 1:2 skip 1 with lines lc rgb color[1]
unset logscale
set format y "%g"
set title "falling mass: height in m"
plot data . "/fall.csv" using 1:3 skip 1 with linespoints pt 7 ps 0.3 lc rgb color[1]
set logscale y
set format y "10^{%L}"
set title "woodpecker: step size in s"
plot data . "/peck.csv" using 1:2 skip 1 with lines lc rgb color[1]
unset multiplot
