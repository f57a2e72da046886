# Draws what bench_iterates and bench_sweep have measured:
#   bench_iterates DATA && bench_sweep DATA
#   gnuplot -e "data='DATA'; out='docs/images'" bench/solvers.gp
set terminal svg size 900,820 font "sans,13" background "white"
set grid lc rgb "#dddddd"
set encoding utf8
file(name) = data . "/" . name . ".txt"
array load[4] = ["a", "b", "c", "d"]
array words[4] = ["contact 1 opens", "contact 2 opens", "both open", "both stay closed"]

# Book Figs 4.9 and 4.10: the classical step (black) and its projection (grey); the last iterate is circled.
# Dotted: directions of projection onto the axes in the norm of G = [4 1.6; 1.6 1.12].
array x0[4] = [-0.9, -0.6, -0.9, -0.4]
array x1[4] = [1.1, 3.6, 1.1, 1.1]
array y0[4] = [-0.6, -1.6, -1.0, -0.4]
array y1[4] = [1.9, 1.6, 1.6, 1.9]
do for [name in "jorprox sorprox"] {
    set output out . "/" . name . "_iterates.svg"
    set multiplot layout 2,2
    do for [k=1:4] {
        set title load[k] . ": " . words[k]
        set xlabel "Λ_1 in N"
        set ylabel "Λ_2 in N"
        set xrange [x0[k]:x1[k]]
        set yrange [y0[k]:y1[k]]
        set object 1 rectangle from 0,0 to graph 1,graph 1 fc rgb "#eeeeee" fs solid noborder behind
        f = file(name . "_" . load[k])
        plot x < 0 ? -1.6/1.12*x : -4/1.6*x with lines dt 3 lc rgb "black" notitle, \
             f using 1:2:($3-$1):($4-$2) with vectors nohead lw 1.3 lc rgb "black" notitle, \
             "< awk 'NR > 1 {print x, y, $1, $2} {x = $3; y = $4}' " . f using 1:2:($3-$1):($4-$2) with vectors nohead lw 1.6 lc rgb "#999999" notitle, \
             f using 1:2 with points pt 7 ps 0.55 lc rgb "#1b6ca8" notitle, \
             "< tail -1 " . f using 1:2 with points pt 6 ps 1.3 lw 2 lc rgb "#c8553d" notitle
        unset object 1
    }
    unset multiplot
}

# Book Fig. 4.12.
set terminal svg size 1080,360 font "sans,13" background "white"
set output out . "/relaxation.svg"
unset title
set autoscale
set multiplot layout 1,3
set xrange [0:2]
set yrange [0:150]
set xlabel "ω"
set ylabel "sweeps to 1e-8"
array cases[3] = ["stick", "slip", "open"]
array titles[3] = ["both contacts closed, stick", "both contacts closed, slip", "one closed and sticks, one opens"]
do for [k=1:3] {
    set title titles[k]
    plot file(cases[k]) using 1:($2 > 0 ? $2 : NaN) with lines dt 2 lw 2 lc rgb "#c8553d" title k == 1 ? "JORprox" : "", \
         file(cases[k]) using 1:($3 > 0 ? $3 : NaN) with lines lw 2 lc rgb "#1b6ca8" title k == 1 ? "SORprox" : ""
}
unset multiplot
unset title

# Time and memory of one factored sweep.
set terminal svg size 900,360 font "sans,13" background "white"
set output out . "/sweep.svg"
set autoscale
set logscale xy
set format x "10^{%L}"
set format y "10^{%L}"
set key top left
set multiplot layout 1,2
set xlabel "contacts"
set ylabel "time of a sweep in s"
plot file("sweep_planar") using 1:2 with linespoints pt 7 lw 2 lc rgb "#1b6ca8" title "plane", \
     file("sweep_spatial") using 1:2 with linespoints pt 7 lw 2 lc rgb "#c8553d" title "space", \
     1e-7*x with lines dt 3 lc rgb "#555555" title "slope 1"
set ylabel "memory in bytes"
plot file("sweep_planar") using 1:3 with linespoints pt 7 lw 2 lc rgb "#1b6ca8" title "plane", \
     file("sweep_spatial") using 1:3 with linespoints pt 7 lw 2 lc rgb "#c8553d" title "space", \
     400*x with lines dt 3 lc rgb "#555555" title "slope 1"
unset multiplot
