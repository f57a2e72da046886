# Draws what bench_augmented has measured, and the steps of two runs:
#   bench_augmented DATA
#   stickslip run scenes/falling_mass_augmented.yaml --no-plots -o DATA/fall.h5
#   stickslip export DATA/fall.h5 t dt order x "x'" -o DATA/fall.csv
#   stickslip run scenes/woodpecker_augmented.yaml --no-plots -o DATA/peck.h5
#   stickslip export DATA/peck.h5 t dt order phi_S "phi_S'" "phi_M'" -o DATA/peck.csv
#   stickslip run scenes/impact_oscillator_augmented.yaml --no-plots -o DATA/hit.h5
#   stickslip export DATA/hit.h5 t dt order x "x'" -o DATA/hit.csv
#   stickslip run scenes/oblique_oscillator.yaml r_E=0.03 delta=0.08 --set simulation.output=0.002 --no-plots -o DATA/oblique.h5
#   stickslip export DATA/oblique.h5 t x y gamma "x'" "y'" "gamma'" -o DATA/oblique.csv
#   gnuplot -e "data='DATA'; out='docs/images'" bench/augmented.gp
set terminal svg size 1080,360 font "sans,13" background "white"
set logscale xy
set format x "10^{%L}"
set format y "10^{%L}"
set grid lc rgb "#dddddd"
set key bottom right reverse Left samplen 1.5
array color[6] = ["#1b6ca8", "#c8553d", "#4f772d", "#7b2d8b", "#b8860b", "#555555"]
file(scene, p) = sprintf("%s/%s_%d.txt", data, scene, p)

set terminal svg size 1080,720 font "sans,13" background "white"
set output out . "/augmented_oscillator.svg"
set multiplot layout 2,3
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
unset logscale
set format "%g"
set datafile separator ","
set xtics 0.5
set xlabel "t in s"
set ylabel "x in m"
plot data . "/hit.csv" using 1:4 skip 1 with linespoints pt 7 ps 0.3 lc rgb color[1] notitle
set ylabel "x' in m/s"
plot data . "/hit.csv" using 1:5 skip 1 with lines lc rgb color[1] notitle
set ylabel "step size in s"
set logscale y
plot data . "/hit.csv" using 1:2 skip 2 with lines lc rgb color[1] notitle
set xtics autofreq
set logscale xy
set format "10^{%L}"
set datafile separator
unset multiplot

set key bottom right
set terminal svg size 1080,720 font "sans,13" background "white"
set output out . "/augmented_woodpecker.svg"
set multiplot layout 2,3
set ylabel "error of φ_S in rad"
set xlabel "largest step Δt_{max} in s"
plot for [p=1:5] file("woodpecker", p) using 1:3 with linespoints pt 7 ps 0.5 lc rgb color[p] title sprintf("p = %d", p)
unset ylabel
set xlabel "Δt_{max} in s, Δt_{min} = K_tΔt_{max}^p"
plot for [p=1:5] file("scaled", p) using 1:3 with linespoints pt 7 ps 0.5 lc rgb color[p] notitle
set xlabel "Δt_{max} in s, damped spring"
plot for [p=1:5] file("damped", p) using 1:3 with linespoints pt 7 ps 0.5 lc rgb color[p] notitle
set xlabel "cpu time in s"
set key bottom left
plot for [p=2:5] file("woodpecker", p) using 4:3 with linespoints pt 7 ps 0.5 lc rgb color[p] notitle, \
     file("woodpecker", 0) using 4:3 with linespoints pt 5 ps 0.6 lc rgb color[6] title "constant steps"
set xlabel "average step in s"
plot for [p=1:5] file("woodpecker", p) using 2:3 with linespoints pt 7 ps 0.5 lc rgb color[p] notitle
unset multiplot

# Figs 6.7, 6.9 and 6.10: what the runs chose.
unset logscale
unset key
unset ylabel
set format x "%g"
set datafile separator ","
set output out . "/augmented_steps.svg"
set multiplot layout 2,4
set xlabel "t in s"
set logscale y
set format y "10^{%L}"
set xtics 0.4
set title "falling mass: step size in s"
plot data . "/fall.csv" using 1:2 skip 2 with lines lc rgb color[1]
unset logscale
set format y "%g"
set title "order"
plot [][0:7] data . "/fall.csv" using 1:3 skip 2 with steps lc rgb color[1]
set title "height in m"
plot data . "/fall.csv" using 1:4 skip 1 with linespoints pt 7 ps 0.2 lc rgb color[1]
set title "speed in m/s"
plot data . "/fall.csv" using 1:5 skip 1 with lines lc rgb color[1]
set logscale y
set format y "10^{%L}"
set xtics 0.05
set title "woodpecker: step size in s"
plot [0:0.15] data . "/peck.csv" using 1:2 skip 2 with lines lc rgb color[1]
unset logscale
set format y "%g"
set title "order"
plot [0:0.15][0:7] data . "/peck.csv" using 1:3 skip 2 with steps lc rgb color[1]
set title "φ_S' (blue) and φ_M' (red) in rad/s"
plot [0:0.15] data . "/peck.csv" using 1:6 skip 1 with lines lc rgb color[2], data . "/peck.csv" using 1:5 skip 1 with lines lc rgb color[1]
set xtics 0.2
set title "φ_S' over φ_S"
set xlabel "rad"
plot data . "/peck.csv" using 4:5 skip 1 with lines lc rgb color[1]
unset multiplot

# Wösle & Pfeiffer's Figs 6 to 8, with the larger unbalance on the flatter plane.
set xtics autofreq
set output out . "/oblique_oscillator.svg"
set multiplot layout 2,3
set xlabel "t in s"
set title "x and y in mm"
plot [0:1] data . "/oblique.csv" using 1:($2*1000) skip 1 with lines lc rgb color[1], data . "/oblique.csv" using 1:($3*1000) skip 1 with lines lc rgb color[2]
set title "γ in rad"
plot [0:1] data . "/oblique.csv" using 1:4 skip 1 with lines lc rgb color[1]
set xlabel "x in mm"
set title "path: y in mm"
plot data . "/oblique.csv" using ($2*1000):($3*1000) skip 1 with lines lc rgb color[1]
rate(t, u) = (d = t - t0, r = d > 1e-6 ? (u - u0)/d : NaN, t0 = t, u0 = u, r)
t0 = 0; u0 = 0
set xtics 0.04
set xlabel "x' in m/s"
set title "x'' in m/s²"
plot data . "/oblique.csv" using 5:(rate($1, $5)) skip 1 with points pt 7 ps 0.15 lc rgb color[1]
t0 = 0; u0 = 0
set xtics 0.01
set xlabel "y' in m/s"
set title "y'' in m/s²"
plot data . "/oblique.csv" using 6:(rate($1, $6)) skip 1 with points pt 7 ps 0.15 lc rgb color[1]
t0 = 0; u0 = 0
set xtics autofreq
set xlabel "γ' in rad/s"
set title "γ'' in rad/s²"
plot data . "/oblique.csv" using 7:(rate($1, $7)) skip 1 with points pt 7 ps 0.15 lc rgb color[1]
unset multiplot
